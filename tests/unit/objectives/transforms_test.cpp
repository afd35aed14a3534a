// SPDX-License-Identifier: Apache-2.0
// Transforms that are graphs against TorchRL's (tests/golden/graph_transforms.txt), and what they refuse.
#include <cmath>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace transforms_test {

using namespace tenon;
using namespace tenon::test;

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char* kFunctions[] = {"abs",   "cos",    "erf",    "exp",     "expm1", "floor", "log",
                                      "log1p", "neg",    "relu",   "sigmoid", "sign",  "sin",   "softplus",
                                      "sqrt",  "square", "symexp", "symlog",  "tanh"};

Plan plan_of(const std::string& component, const Options& options, const graph::Column& column, double factor = 1) {
    return {.columns = {column, real_column("weight")},
            .networks = {{.role = "first", .component = component, .options = options},
                         {.role = "second", .component = "standard/as_real", .options = {{"factor", factor}}}},
            .objective = "test/Transforms",
            .options = {}};
}

const graph::Column kObservation = real_column("observation", {2, 3, 1});

void check(const std::string& name, const std::string& component, const Options& options, double tolerance = 1e-14,
           const graph::Column& column = kObservation, double factor = 1) {
    CAPTURE(name);
    const GoldenCase golden = golden_case("graph_transforms.txt", name);
    for (const bool compiled : {false, true}) {
        Plan plan = plan_of(component, options, column, factor);
        plan.compiled = compiled;
        Assembly assembly(std::move(plan));
        FilledBatch batch(assembly.columns(), {.rows = 5}, 1);
        batch.set("observation", golden["in"]);
        CHECK(worst_difference(assembly.forward("prepare", batch).at("out"), golden["out"]) <= tolerance);
    }
}

std::string refusal(const std::string& component, const Options& options) {
    Assembly assembly(plan_of(component, options, kObservation));
    const Problems problems = assembly.try_forward("prepare", {graph::kRows});
    REQUIRE(problems.size() == 1);
    return problems[0].sentence;
}

}  // namespace

TEST_CASE("clip, permute, unsqueeze and squeeze equal TorchRL's") {
    check("clip", "standard/clip", {{"low", -0.5}, {"high", 0.75}}, 0);
    check("permute", "standard/permute", {{"dims", Numbers{2, 0, 1}}}, 0);
    check("permute", "standard/permute", {{"dims", Numbers{-1, -3, -2}}}, 0);
    check("unsqueeze", "standard/unsqueeze", {{"dim", std::int64_t{-2}}}, 0);
    check("squeeze", "standard/squeeze", {}, 0);
}

TEST_CASE("unary equals UnaryTransform with each of its functions") {
    for (const char* function : kFunctions) {
        check(function, "standard/unary", {{"function", std::string(function)}});
    }
}

// TorchRL divides float32 numbers.
TEST_CASE("permute and as_real are ToTensorImage") {
    check("to_tensor_image", "standard/permute", {{"dims", Numbers{2, 0, 1}}}, 1e-7,
          real_column("observation", {2, 3, 2}, DType::kU8), 1.0 / 255);
}

TEST_CASE("dimensions that a column does not have are refused") {
    CHECK_THAT(refusal("standard/permute", {{"dims", Numbers{3, 2, 1, 0}}}),
               Catch::Matchers::ContainsSubstring("column 'observation' has 3 dimensions, but option 'dims' names 4"));
    CHECK_THAT(refusal("standard/unsqueeze", {{"dim", std::int64_t{-5}}}),
               Catch::Matchers::ContainsSubstring("column 'observation' has 3 dimensions, but option 'dim' is -5"));
    CHECK_THAT(refusal("standard/squeeze", {{"dim", std::int64_t{-4}}}),
               Catch::Matchers::ContainsSubstring("column 'observation' has 3 dimensions, but option 'dim' is -4"));
    CHECK_THAT(
        refusal("standard/squeeze", {{"dim", std::int64_t{-2}}}),
        Catch::Matchers::ContainsSubstring("column 'observation' has 3 dimensions, but dimension -2 is of size 3"));
}

}  // namespace transforms_test
