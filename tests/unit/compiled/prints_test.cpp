// SPDX-License-Identifier: Apache-2.0
// What a graph prints, compiled: the reference executor's line, once a run.
#include <string>

#include "engines/compiled/executor.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace prints_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::string printed;

void remember(std::string_view line) {
    printed += std::string(line) + "\n";
}

// What three updates print.
std::string printed_by(Executor& by) {
    Sketch sketch;
    Learner learner;
    learner.real = DType::kF32;
    add_network(learner, "actor", {{.name = "w", .shape = {3}, .values = {0.25, -1, 2}}});
    const Memory x = memory("x", DType::kF32, {3}, {1, 2, -1, 0.5, 3, -2, 0.1, 7, 1e-9});
    const ValueId in = sketch.column("x", Type{Kind::kReal, {graph::kRows, 3}});
    const ValueId product = sketch.add("mul", {in, sketch.parameter("actor", "w", Type{Kind::kReal, {3}})});
    sketch.graph.prints.push_back({"product", product});
    sketch.graph.prints.push_back({"above", sketch.add("gt", {product, sketch.constant(0)})});
    const ValueId sum = sketch.add("sum", {product}, {{"axis", std::int64_t{-1}}});
    sketch.graph.prints.push_back({"mean", sketch.add("batch_mean", {sum})});
    sketch.loss("sum", sketch.stage("update", {"actor"}), sum);
    const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {x.port}, .outputs = {}};
    auto program = by.update(spec, {plan_of({0})}, learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{x.data()};
    const std::vector<double> live{0.01, 0.9, 0.999, 1e-8, 0.0};
    std::vector<double> losses(1);
    std::vector<double> norms(1);
    Call call{.sizes = {.rows = 3},
              .inputs = inputs,
              .numbers = {.live = live},
              .results = {.losses = losses, .gradient_norms = norms}};
    printed.clear();
    for (call.numbers.updates = 0; call.numbers.updates < 3; ++call.numbers.updates) {
        REQUIRE((*program)->run(call).has_value());
    }
    return printed;
}

}  // namespace

TEST_CASE("what a graph prints is printed once a run, whoever computes it") {
    const auto reference = executor(DType::kF32, remember);
    const std::string want = printed_by(*reference);
    CHECK(want.starts_with(
        "product: real [B, 3], mean -1.95556, min -7, max 0.25 = 0.25, -2, -2, 0.125, -3, -4, 0.025, -7, ...\n"
        "above: bool [B, 3], mean 0.444444, min 0, max 1 = 1, 0, 0, 1, 0, 0, 1, 0, ...\n"
        "mean: real = -5.86667\n"));
    CHECK(printed_by(*compiled::make_executor(executor(DType::kF32, remember), {.print = remember})) == want);
    CHECK(printed_by(*compiled::make_watched_executor(executor(DType::kF32, remember), nullptr, {.print = remember})) ==
          want);
}

}  // namespace prints_test
