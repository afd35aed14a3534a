// SPDX-License-Identifier: Apache-2.0
// Specs in words, and what makes two of them different.
#include "base/data/spec.hpp"

#include <limits>

#include "base/data/spec_abi.hpp"
#include "random_spec.hpp"
#include "support/catch.hpp"

namespace spec_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

Spec box(std::string key, DType dtype, const Shape& shape, double low, double high) {
    Spec spec;
    spec.key = std::move(key);
    spec.kind = SpecKind::kBounded;
    spec.dtype = dtype;
    spec.shape = shape;
    spec.low = {low};
    spec.high = {high};
    return spec;
}

TEST_CASE("a spec reads as a person would write it") {
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(to_string(box("observation", DType::kF32, {4}, -4.8, 4.8)) == "observation: float32 [4] in [-4.8, 4.8]");
    Spec spec = box("x", DType::kF64, {2}, -4.8, 4.8);
    spec.low = {-4.8, -inf};
    spec.high = {4.8, inf};
    CHECK(to_string(spec) == "x: float64 [2] in [-4.8, 4.8] x [-inf, inf]");
    spec.shape = {6};
    spec.low = {0, 1, 2, 3, 4, 5};
    spec.high = {6, 6, 6, 6, 6, 6};
    CHECK(to_string(spec) == "x: float64 [6] in [0, 6] x [1, 6] x [2, 6] x [3, 6] x ...");
    Spec action;
    action.key = "action";
    action.kind = SpecKind::kCategorical;
    action.dtype = DType::kI64;
    action.categories = {2};
    CHECK(to_string(action) == "action: int64, 2 categories");
    action.kind = SpecKind::kMultiCategorical;
    action.shape = {2};
    action.categories = {2, 3};
    CHECK(to_string(action) == "action: int64 [2], 2 x 3 categories");
    action.kind = SpecKind::kOneHot;
    action.categories = {2};
    CHECK(to_string(action) == "action: int64 [2], one-hot over 2 categories");
    action.kind = SpecKind::kBinary;
    action.categories = {};
    CHECK(to_string(action) == "action: int64 [2] of 0 and 1");
    action.kind = SpecKind::kUnbounded;
    CHECK(to_string(action) == "action: int64 [2]");
}

TEST_CASE("a difference names the column and both sides") {
    const Spec a = box("observation", DType::kF32, {4}, -1, 1);
    Spec b = a;
    CHECK(difference(a, "the env", b, "the policy").empty());
    b.shape = {3};
    CHECK(difference(a, "the env", b, "the policy") ==
          "'observation' is float32 [4] in [-1, 1] for the env but float32 [3] in [-1, 1] for the policy");
    b = a;
    b.role = Role::kExtra;
    CHECK_THAT(difference(a, "A", b, "B"), ContainsSubstring("as observation for A but"));
    Spec wide = box("x", DType::kF64, {6}, 0, 1);
    wide.low = {0, 0, 0, 0, 0, -1};
    wide.high = {1, 1, 1, 1, 1, 1};
    Spec other = wide;
    other.high[5] = 2;
    CHECK_THAT(difference(wide, "A", other, "B"), ContainsSubstring("with element 5 in [-1, 1] for A but"));
    CHECK(difference(Composite{{a}}, "A", Composite{}, "B") ==
          "'observation' (float32 [4] in [-1, 1]) is a column of A but not of B");
    CHECK_THAT(difference(Composite{}, "A", Composite{{a}}, "B"), ContainsSubstring("a column of B but not of A"));
}

TEST_CASE("specs differ exactly where there is a difference to tell") {
    const auto seed = GENERATE(range(0U, 300U));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto normal = [&](const Spec& spec) {
        const tn_spec raw = to_abi(spec);
        return *read_spec(raw, "test");
    };
    const Spec a = normal(test::random_spec(random));
    CHECK(a == normal(a));
    CHECK(difference(a, "A", a, "B").empty());
    Spec b = normal(test::random_spec(random));
    b.key = a.key;
    CHECK((difference(a, "A", b, "B").empty()) == (a == b));
    Spec moved = a;
    if (!moved.low.empty()) {
        moved.low.back() -= 1;
        CHECK((difference(a, "A", moved, "B").empty()) == (a == moved));
    }
}

TEST_CASE("a group's columns are below its name and have one number of agents") {
    const auto grouped = [](std::string key, const Shape& shape, std::string group = "agents") {
        Spec spec = box(std::move(key), DType::kF32, shape, -1, 1);
        spec.group = std::move(group);
        return spec;
    };
    const auto fault = [](std::vector<Spec> specs) {
        Status status = check(Composite{std::move(specs)}, "test/Env-v0");
        return status ? std::string() : status.error().sentence;
    };
    const Composite two{
        {grouped("agents.observation", {3, 4}), grouped("agents.action", {3}), box("state", DType::kF32, {2}, -1, 1)}};
    CHECK(check(two, "test/Env-v0"));
    CHECK(two.groups() == std::vector<std::string_view>{"agents"});
    CHECK((two.agents("agents") == 3 && two.agents("others") == 0 && two.agents("") == 0));
    CHECK_THAT(fault({grouped("observation", {3, 4})}),
               ContainsSubstring("is of the group 'agents', so its key must begin with 'agents.'"));
    CHECK_THAT(fault({grouped("agents.turn", {})}),
               ContainsSubstring("its first extent must be the number of agents, but it has no extents"));
    CHECK_THAT(fault({grouped("a .x", {3}, "a ")}), ContainsSubstring("'a .x' has a key that"));
    CHECK_THAT(fault({grouped("agents.x", {3}), grouped("agents.y", {2})}),
               ContainsSubstring("'agents.x' has 3 agents, but 'agents.y' of the same group has 2"));
    CHECK_THAT(
        fault({grouped("agents.x", {3}), box("agents.y", DType::kF32, {3}, 0, 1)}),
        ContainsSubstring("'agents.y' is below 'agents', the group of 'agents.x', so it must be of that group too"));
    CHECK_THAT(difference(grouped("agents.x", {3}), "one", box("agents.x", DType::kF32, {3}, -1, 1), "two"),
               ContainsSubstring("of the group 'agents' for one but float32 [3] in [-1, 1] of no group for two"));
}

}  // namespace

}  // namespace spec_test
