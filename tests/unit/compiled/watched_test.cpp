// SPDX-License-Identifier: Apache-2.0
// What becomes of a compiled program that gives other numbers than the reference executor: here one whose graph has
// another op in the place of tanh.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "compute/exec/outcome.hpp"
#include "engines/compiled/executor.hpp"
#include "engines/compiled/first_difference.hpp"
#include "engines/compiled/watched.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "unit/compiled/other_op.hpp"

namespace watched_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::uint32_t kLineOfTanh = 17;
const std::vector<double> kLive{0.05, 0.9, 0.999, 1e-8, 0.0};

struct Rig {
    Sketch sketch;
    Learner learner;
    Memory x = memory("x", DType::kF32, {2}, {1, 2, -1, 0.5, 3, -2});
    Memory y = memory("y", DType::kF32, {}, {1, -1, 2});
    std::vector<StagePlan> stages{plan_of({0})};
    std::shared_ptr<compiled::Trust> trust = std::make_shared<compiled::Trust>();
    std::string said;
    Counted* reference = nullptr;
    std::unique_ptr<Program> program;

    explicit Rig(std::string_view instead) {
        learner.real = DType::kF32;
        add_network(learner, "actor", {{.name = "w", .shape = {1, 2}, .values = {0.3, -0.2}, .trainable = true}});
        const ValueId in = sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
        const ValueId linear = sketch.add("linear", {in, sketch.parameter("actor", "w", Type{Kind::kReal, {1, 2}})});
        const ValueId squashed = sketch.add("tanh", {linear});
        sketch.at_line(kLineOfTanh);
        const ValueId out = sketch.add("squeeze", {squashed});
        const ValueId wanted = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        sketch.loss("error", sketch.stage("update", {"actor"}),
                    sketch.add("square", {sketch.add("sub", {out, wanted})}));
        Wrong ours(instead);
        auto made = executor(DType::kF32)->update(spec(), stages, learner);
        auto wrong = ours.update(spec(), stages, learner);
        REQUIRE(made.has_value());
        REQUIRE(wrong.has_value());
        auto counted = std::make_shared<Counted>(std::move(*made));
        reference = counted.get();
        program = compiled::watch(
            std::move(*wrong), std::move(counted),
            {.spec = spec(),
             .stages = stages,
             .learner = learner,
             .trust = trust,
             .disagreed = [this](const compiled::Watch&, const Call&, const std::string& what) { said += what; }});
    }

    [[nodiscard]] ProgramSpec spec() const {
        return {.name = "update", .graph = &sketch.graph, .inputs = {x.port, y.port}, .outputs = {}};
    }

    double run(double update, StepPart part = {}) {
        std::vector<double> losses(1);
        std::vector<double> norms(1);
        const std::vector<const void*> inputs{x.data(), y.data()};
        Call call{.sizes = {.rows = 3},
                  .inputs = inputs,
                  .numbers = {.live = kLive, .updates = update},
                  .part = part,
                  .results = {.losses = losses, .gradient_norms = norms}};
        REQUIRE(program->run(call).has_value());
        return losses[0];
    }
};

}  // namespace

TEST_CASE("a program that agrees is watched at its first updates and then runs alone") {
    Rig rig("tanh");
    for (int update = 0; update < 6; ++update) {
        rig.run(update);
    }
    CHECK(rig.reference->runs == compiled::kWatched);
    CHECK_FALSE(rig.trust->lost);
    CHECK(rig.said.empty());
}

TEST_CASE("watching changes no parameter") {
    Rig watched("tanh");
    Rig alone("tanh");
    watched.run(0);
    alone.run(compiled::kWatched);  // the same step, unwatched
    CHECK(alone.reference->runs == 0);
    const auto read_w = [](const Rig& rig) {
        return read(rig.learner, rig.learner.networks[0], rig.learner.networks[0].live, "w");
    };
    CHECK(read_w(watched) == read_w(alone));
}

TEST_CASE("one that does not agree is told and leaves the work to the reference, for good") {
    Rig rig("sigmoid");
    Rig right("tanh");
    for (int update = 0; update < 5; ++update) {
        CHECK(rig.run(update) == right.run(update));
    }
    CHECK(rig.trust->lost);
    CHECK_THAT(rig.said, ContainsSubstring("the loss 'error' is ") && ContainsSubstring(" by the reference"));
    CHECK(rig.reference->runs == 6);  // once to be compared with
}

TEST_CASE("a call that the reference refuses is left to it, and says nothing of the program") {
    Rig rig("tanh");
    rig.x.f32[0] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<const void*> inputs{rig.x.data(), rig.y.data()};
    Call call{.sizes = {.rows = 3}, .inputs = inputs, .numbers = {.live = kLive}};
    const Result<Computed*> done = rig.program->run(call);
    REQUIRE_FALSE(done.has_value());
    CHECK_THAT(done.error().sentence, ContainsSubstring("is not finite") || ContainsSubstring("is nan"));
    CHECK_FALSE(rig.trust->lost);
    CHECK(rig.reference->runs == 2);
}

TEST_CASE("a whole batch is watched before the first updates only, so a resumed run goes on as it was") {
    Sketch sketch;
    const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows}});
    sketch.graph.metrics.push_back({"mean", sketch.add("batch_mean", {x})});
    const Memory column = memory("x", DType::kF32, {}, {1, 2, 3});
    const ProgramSpec spec{.name = "prepare", .graph = &sketch.graph, .inputs = {column.port}, .outputs = {}};
    Learner learner;
    learner.real = DType::kF32;
    const auto made = [&] { return *executor(DType::kF32)->forward(spec, learner); };
    for (const double updates : {0.0, 40.0}) {
        auto counted = std::make_shared<Counted>(made());
        const Counted& reference = *counted;
        const auto program = compiled::watch(made(), counted,
                                             {.spec = spec,
                                              .stages = {},
                                              .learner = learner,
                                              .trust = std::make_shared<compiled::Trust>(),
                                              .disagreed = {}});
        std::vector<double> metrics(1);
        const std::vector<const void*> inputs{column.data()};
        Call call{.sizes = {.rows = 3},
                  .inputs = inputs,
                  .numbers = {.live = kLive, .updates = updates},
                  .results = {.metrics = metrics}};
        REQUIRE(program->run(call).has_value());
        CHECK(metrics[0] == 2);
        CHECK(reference.runs == (updates == 0 ? 1 : 0));
    }
}

TEST_CASE("dry runs and the later parts of a step are not watched") {
    Rig rig("sigmoid");
    rig.run(0, {.mode = StepMode::kDryGradients});
    rig.run(0, {.first = false, .last = false});
    CHECK(rig.reference->runs == 0);
    CHECK_FALSE(rig.trust->lost);
}

TEST_CASE("a column of an ensemble's values has room for every member") {
    struct Nothing final : Program {
        Result<Computed*> run(const Call& /*call*/) override { return nullptr; }
    };
    constexpr std::int64_t kCount = 3;
    Sketch sketch(kCount);
    Learner learner;
    add_network(learner, "ensemble", {{.name = "w", .shape = {}, .values = {1, 2, 3}}}, false, kCount, true);
    const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows}});
    const ValueId each = sketch.add("mul", {x, sketch.parameter("ensemble", "w", Type{Kind::kReal, {kMembers}})});
    sketch.write("each", each);
    const ProgramSpec spec{.name = "forward",
                           .graph = &sketch.graph,
                           .inputs = {{.key = "x", .dtype = DType::kF32, .row = {}}},
                           .outputs = {{.key = "each", .dtype = DType::kF64, .row = {}}}};
    double wanted = 0;
    const std::vector<void*> outputs{&wanted};
    Call call{.sizes = {.rows = 5}, .outputs = outputs};
    Nothing program;
    CHECK(try_out(program, spec, {}, learner, call).outputs[0].size() == kCount * 5 * sizeof(double));
}

TEST_CASE("whole numbers that differ are apart, however near each other and large") {
    const auto bytes = [](std::int64_t value) {
        std::vector<std::byte> out(sizeof value);
        std::memcpy(out.data(), &value, sizeof value);
        return out;
    };
    constexpr std::int64_t kLarge = std::int64_t{1} << 53U;
    CHECK(distance(bytes(kLarge + 1), bytes(kLarge), DType::kI64).most == 1);
    CHECK(distance(bytes(kLarge + 1), bytes(kLarge + 1), DType::kI64).most == 0);
    CHECK(distance(bytes(-kLarge), bytes(kLarge), DType::kI64).most == 0x1p54);
}

TEST_CASE("the node that two executors disagree on is named at its author's line") {
    Rig rig("tanh");
    Wrong ours("sigmoid");
    const std::vector<const void*> inputs{rig.x.data(), rig.y.data()};
    Call call{.sizes = {.rows = 3}, .inputs = inputs, .numbers = {.live = kLive}};
    const auto reference = executor(DType::kF32);
    const auto found = compiled::first_difference(ours, *reference, rig.spec(), rig.stages, rig.learner, call);
    REQUIRE(found.has_value());
    CHECK_THAT(found->sentence, ContainsSubstring("the op 'tanh', real [B, 1], differs by "));
    CHECK(found->place.line == kLineOfTanh);
    CHECK_FALSE(compiled::first_difference(*reference, *reference, rig.spec(), rig.stages, rig.learner, call));
}

TEST_CASE("looking for the node that two executors disagree on prints nothing, and moves no parameter") {
    static int printed = 0;
    Rig rig("tanh");
    const std::vector<double> before = read(rig.learner, rig.learner.networks[0], rig.learner.networks[0].live, "w");
    rig.sketch.graph.prints.push_back({"x", 1});
    const std::vector<const void*> inputs{rig.x.data(), rig.y.data()};
    const Call call{.sizes = {.rows = 3}, .inputs = inputs, .numbers = {.live = kLive}};
    const auto reference = executor(DType::kF32, [](std::string_view /*line*/) { ++printed; });
    CHECK_FALSE(compiled::first_difference(*reference, *reference, rig.spec(), rig.stages, rig.learner, call));
    CHECK(printed == 0);
    CHECK(read(rig.learner, rig.learner.networks[0], rig.learner.networks[0].live, "w") == before);
}

TEST_CASE("an executor's name is that of the one that computes") {
    CHECK(compiled::make_executor(executor(DType::kF32))->name() == "compiled");
    const auto watched = compiled::make_watched_executor(executor(DType::kF32), nullptr);
    CHECK(watched->name() == "reference");  // as long as nothing is compiled
    Rig rig("tanh");
    REQUIRE(watched->update(rig.spec(), rig.stages, rig.learner).has_value());
    CHECK(watched->name() == "compiled");
}

}  // namespace watched_test
