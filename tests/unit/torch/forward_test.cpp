// SPDX-License-Identifier: Apache-2.0
// Acting and preparing: columns in, columns out.
#include "support.hpp"
#include "support/catch.hpp"

namespace forward_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::string g_printed;

void remember(std::string_view line) {
    g_printed += std::string(line) + "\n";
}

}  // namespace

TEST_CASE("columns of every dtype are read as real, int or bool and results converted to the output's dtype") {
    Sketch sketch;
    const ValueId pixel = sketch.column("pixel", Type{Kind::kInt, {graph::kRows, 2}});
    const ValueId reward = sketch.column("reward", Type{Kind::kReal, {graph::kRows}});
    const ValueId done = sketch.column("done", Type{Kind::kBool, {graph::kRows}});
    const ValueId scaled =
        sketch.add("div", {sketch.add("cast", {pixel}, {{"to", std::string("real")}}), sketch.constant(255.0)});
    const ValueId kept = sketch.add("where", {done, sketch.constant(0.0), reward});
    const ValueId best = sketch.add("argmax", {scaled});
    sketch.write("scaled", scaled);
    sketch.write("kept", kept);
    sketch.write("best", best);
    sketch.write("constant", sketch.constant(3.0));
    Memory in_pixel = memory("pixel", DType::kU8, {2}, {0, 255, 51, 0, 255, 255});
    Memory in_reward = memory("reward", DType::kF32, {}, {1.5, 2.5, 3.5});
    Memory in_done = memory("done", DType::kBool, {}, {0, 1, 0});
    Memory out_scaled = memory("scaled", DType::kF32, {2}, std::vector<double>(6, -1));
    Memory out_kept = memory("kept", DType::kF64, {}, std::vector<double>(3, -1));
    Memory out_best = memory("best", DType::kI64, {}, std::vector<double>(3, -1));
    Memory out_constant = memory("constant", DType::kF32, {}, std::vector<double>(3, -1));
    const ProgramSpec spec{.name = "act",
                           .graph = &sketch.graph,
                           .inputs = {in_pixel.port, in_reward.port, in_done.port},
                           .outputs = {out_scaled.port, out_kept.port, out_best.port, out_constant.port},
                           .seed = 0};
    Learner learner;
    auto program = executor(DType::kF32)->forward(spec, learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{in_pixel.data(), in_reward.data(), in_done.data()};
    const std::vector<void*> outputs{out_scaled.data(), out_kept.data(), out_best.data(), out_constant.data()};
    Call call{.sizes = {.rows = 3}, .inputs = inputs, .outputs = outputs};
    REQUIRE((*program)->run(call).has_value());
    CHECK(out_scaled.f32 == std::vector<float>{0.0F, 1.0F, 51.0F / 255.0F, 0.0F, 1.0F, 1.0F});
    CHECK(out_kept.values() == std::vector<double>{1.5, 0.0, 3.5});
    CHECK(out_best.values() == std::vector<double>{1, 0, 0});
    CHECK(out_constant.values() == std::vector<double>{3, 3, 3});
    call.sizes.rows = 1;  // one program serves any number of rows
    out_kept.f64[1] = 9;
    REQUIRE((*program)->run(call).has_value());
    CHECK(out_kept.f64[1] == 9);
}

TEST_CASE("parameters are read from the slab as it is when the program runs, live and target apart") {
    Learner learner;
    learner.real = DType::kF64;
    add_network(learner, "value", {{.name = "w", .shape = {1, 2}, .values = {1, 10}, .trainable = true}}, true);
    Sketch sketch;
    const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
    sketch.write("live", sketch.add("linear", {x, sketch.parameter("value", "w", Type{Kind::kReal, {1, 2}})}));
    sketch.write("target",
                 sketch.add("linear", {x, sketch.parameter("value", "w", Type{Kind::kReal, {1, 2}}, "target")}));
    Memory in = memory("x", DType::kF64, {2}, {1, 2});
    Memory live = memory("live", DType::kF64, {1}, {0});
    Memory target = memory("target", DType::kF64, {1}, {0});
    auto program = executor(DType::kF64)
                       ->forward({.name = "act",
                                  .graph = &sketch.graph,
                                  .inputs = {in.port},
                                  .outputs = {live.port, target.port},
                                  .seed = 0},
                                 learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{in.data()};
    const std::vector<void*> outputs{live.data(), target.data()};
    Call call{.sizes = {.rows = 1}, .inputs = inputs, .outputs = outputs};
    REQUIRE((*program)->run(call).has_value());
    CHECK(live.f64[0] == 21);
    write(learner, learner.networks[0], "w", {2, 20});
    REQUIRE((*program)->run(call).has_value());
    CHECK(live.f64[0] == 42);
    CHECK(target.f64[0] == 21);
}

TEST_CASE("live values, counters, metrics, controls, checks and prints") {
    Sketch sketch;
    const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows}});
    const ValueId eps =
        sketch.special("option", {{"name", std::string("explore.eps")}, {"index", std::int64_t{1}}}, Type{});
    const ValueId sum = sketch.add(
        "add", {sketch.add("add", {eps, sketch.special("frames", {}, Type{})}),
                sketch.add("add", {sketch.special("updates", {}, Type{}), sketch.special("progress", {}, Type{})})});
    sketch.graph.metrics.push_back({"sum", sum});
    sketch.graph.metrics.push_back({"mean", x});
    sketch.graph.controls.push_back({"stop", sketch.add("gt", {x, sketch.constant(1.5)})});
    sketch.graph.prints.push_back({"x", x});
    const ValueId positive = sketch.add("gt", {x, sketch.constant(0.0)});
    sketch.at_line(17);
    sketch.graph.checks.push_back({"x must be positive", positive});
    Memory in = memory("x", DType::kF32, {}, {1, 2});
    Learner learner;
    auto program =
        executor(DType::kF32, &remember)
            ->forward({.name = "prepare", .graph = &sketch.graph, .inputs = {in.port}, .outputs = {}, .seed = 0},
                      learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{in.data()};
    const std::vector<double> live{5, 0.5};
    std::vector<double> metrics(2);
    std::vector<double> controls(1);
    Call call{.sizes = {.rows = 2},
              .inputs = inputs,
              .numbers = {.live = live, .frames = 100, .updates = 20, .progress = 0.25},
              .results = {.metrics = metrics, .controls = controls}};
    g_printed.clear();
    REQUIRE((*program)->run(call).has_value());
    CHECK(metrics == std::vector<double>{120.75, 1.5});
    CHECK(controls[0] == 0.5);
    CHECK(g_printed == "x: real [B], mean 1.5, min 1, max 2 = 1, 2\n");
    in.f32[0] = -1;
    const Result<Computed*> failed = (*program)->run(call);
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().sentence ==
          "test/component: check failed in the program 'prepare': x must be positive (1 of 2 elements is false)");
    CHECK(failed.error().place.file == "author.cpp");
    CHECK(failed.error().place.line == 17);
}

}  // namespace forward_test
