// SPDX-License-Identifier: Apache-2.0
// Stages that own the same network: each steps by its own gradient, on both executors, in float64 with plain SGD so
// that every step can be written down.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "engines/compiled/executor.hpp"
#include "engines/compiled/watched.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace stages_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr double kRate = 0.1;
const std::vector<double> kLive{kRate, 0.0, 0.0, 0.0};  // lr, momentum, dampening, weight_decay
constexpr std::uint32_t kFirst = 0;
constexpr std::uint32_t kSecond = 1;

// Two stages that own one network of the numbers u and v, and a column y of two rows.
struct Shared {
    Sketch sketch;
    Learner learner;
    Memory y = memory("y", DType::kF64, {}, {2.0, 4.0});
    ValueId in_y = 0;
    std::vector<StagePlan> stages{2};
    std::unique_ptr<Program> program;
    std::vector<double> norms{0, 0};

    Shared() {
        learner.real = DType::kF64;
        add_network(learner, "both",
                    {{.name = "u", .shape = {}, .values = {0.5}, .trainable = true},
                     {.name = "v", .shape = {}, .values = {-1.0}, .trainable = true}});
        for (StagePlan& stage : stages) {
            stage.owned = {0};
            stage.optimiser.rule = SgdPlan{.lr = 0, .momentum = 1, .dampening = 2, .weight_decay = 3};
        }
        REQUIRE(begin_optimiser(learner.networks[0], learner.real, stages[0].optimiser).has_value());
        in_y = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        sketch.stage("first", {"both"});
        sketch.stage("second", {"both"});
    }

    ValueId parameter(const char* name, const char* version = "") {
        return sketch.parameter("both", name, Type{}, "live", version);
    }
    ValueId square_off(ValueId x, ValueId from) { return sketch.add("square", {sketch.add("sub", {x, from})}); }

    void make(bool compiled) {
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {y.port}, .outputs = {}, .seed = 0};
        const auto by = compiled ? compiled::make_executor(executor(DType::kF64)) : executor(DType::kF64);
        auto made = by->update(spec, stages, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    void run(StepPart part = {}) {
        const std::vector<const void*> inputs{y.data()};
        std::vector<double> losses(sketch.graph.losses.size());
        Call call{.sizes = {.rows = 2},
                  .inputs = inputs,
                  .numbers = {.live = kLive},
                  .part = part,
                  .results = {.losses = losses, .gradient_norms = norms}};
        const Result<Computed*> done = program->run(call);
        INFO((done ? std::string{} : done.error().sentence));
        REQUIRE(done.has_value());
    }

    [[nodiscard]] double now(const char* name) const {
        return read(learner, learner.networks[0], learner.networks[0].live, name)[0];
    }
};

}  // namespace

TEST_CASE("two stages of one phase that own the same network step by their own gradients") {
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Shared shared;
        const ValueId u = shared.parameter("u");
        shared.sketch.loss("distance", kFirst, shared.square_off(u, shared.in_y));
        shared.sketch.loss("slope", kSecond, shared.sketch.add("mul", {u, shared.in_y}));
        shared.make(compiled);
        double by_hand = 0.5;
        for (int update = 0; update < 3; ++update) {
            const double first = 2 * (by_hand - 3);  // the mean over y = 2 and 4
            by_hand -= kRate * (first + 3);
            shared.run();
            CHECK(shared.now("u") == Catch::Approx(by_hand).epsilon(1e-13));
            CHECK(shared.norms[kFirst] == Catch::Approx(std::abs(first)).epsilon(1e-13));
            CHECK(shared.norms[kSecond] == Catch::Approx(3).epsilon(1e-13));
        }
    }
}

TEST_CASE("a gradient that is known before an earlier stage steps is not lost by that step") {
    // the second stage reads u after the first one, and its gradient by v is computed before
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Shared shared;
        shared.sketch.loss("distance", kFirst, shared.square_off(shared.parameter("u"), shared.in_y));
        shared.sketch.loss("later", kSecond, shared.square_off(shared.parameter("u", "first"), shared.in_y));
        shared.sketch.loss("slope", kSecond, shared.sketch.add("mul", {shared.parameter("v"), shared.in_y}));
        shared.make(compiled);
        double u = 0.5;
        u -= kRate * 2 * (u - 3);
        u -= kRate * 2 * (u - 3);
        shared.run();
        CHECK(shared.now("u") == Catch::Approx(u).epsilon(1e-13));
        CHECK(shared.now("v") == Catch::Approx(-1 - kRate * 3).epsilon(1e-13));
    }
}

TEST_CASE("a stage steps no parameter by the gradient that another stage left there") {
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Shared shared;
        shared.sketch.loss("rise", kFirst, shared.sketch.add("mul", {shared.parameter("u"), shared.in_y}));
        shared.sketch.loss("slope", kSecond, shared.sketch.add("mul", {shared.parameter("v"), shared.in_y}));
        shared.make(compiled);
        for (int update = 1; update <= 3; ++update) {
            shared.run();
            CHECK(shared.now("u") == Catch::Approx(0.5 - kRate * 3 * update).epsilon(1e-13));
            CHECK(shared.now("v") == Catch::Approx(-1 - kRate * 3 * update).epsilon(1e-13));
        }
    }
}

TEST_CASE("stages that own the same network gather minibatches by themselves") {
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Shared shared;
        const ValueId u = shared.parameter("u");
        shared.sketch.loss("distance", kFirst, shared.square_off(u, shared.in_y));
        shared.sketch.loss("slope", kSecond, shared.sketch.add("mul", {u, shared.in_y}));
        shared.make(compiled);
        double by_hand = 0.5;
        for (int update = 0; update < 2; ++update) {
            shared.y.f64 = {2, 4};
            shared.run({.first = true, .last = false});
            shared.y.f64 = {7, 9};
            shared.run({.first = false, .last = true});
            const double first = (2 * (by_hand - 3) + 2 * (by_hand - 8)) / 2;
            const double second = (3.0 + 8.0) / 2;
            by_hand -= kRate * (first + second);
            CHECK(shared.now("u") == Catch::Approx(by_hand).epsilon(1e-13));
            CHECK(shared.norms[kFirst] == Catch::Approx(std::abs(first)).epsilon(1e-13));
            CHECK(shared.norms[kSecond] == Catch::Approx(second).epsilon(1e-13));
        }
    }
}

namespace {

// What the slab of the network holds at the end, as the gradient of both stages.
struct LastForBoth final : Program {
    explicit LastForBoth(std::unique_ptr<Program> of) : inner(std::move(of)) {}
    Result<Computed*> run(const Call& call) override {
        Result<Computed*> done = inner->run(call);
        if (!call.results.gradients.empty()) {
            std::memcpy(call.results.gradients[kFirst], call.results.gradients[kSecond], 2 * sizeof(double));
        }
        return done;
    }

    std::unique_ptr<Program> inner;
};

}  // namespace

TEST_CASE("a watch holds the gradient of each stage against the reference's") {
    for (const bool wrong : {false, true}) {
        CAPTURE(wrong);
        Shared shared;
        const ValueId u = shared.parameter("u");
        shared.sketch.loss("distance", kFirst, shared.square_off(u, shared.in_y));
        shared.sketch.loss("slope", kSecond, shared.sketch.add("mul", {u, shared.in_y}));
        shared.make(true);
        std::unique_ptr<Program> ours = std::move(shared.program);
        if (wrong) {
            ours = std::make_unique<LastForBoth>(std::move(ours));
        }
        shared.make(false);
        const auto trust = std::make_shared<compiled::Trust>();
        std::string said;
        const ProgramSpec spec{
            .name = "update", .graph = &shared.sketch.graph, .inputs = {shared.y.port}, .outputs = {}, .seed = 0};
        shared.program = compiled::watch(
            std::move(ours), std::move(shared.program),
            {.spec = spec,
             .stages = shared.stages,
             .learner = shared.learner,
             .trust = trust,
             .disagreed = [&](const compiled::Watch&, const Call&, const std::string& what) { said = what; }});
        shared.run();
        CHECK(trust->lost == wrong);
        CHECK(said ==
              (wrong ? "the gradient of the stage 'first' with respect to the parameter 'u' of 'both' has the norm 3 "
                       "compiled, 5 by the reference"
                     : ""));
        CHECK(shared.now("u") == Catch::Approx(0.5 - kRate * (-5 + 3)).epsilon(1e-13));
    }
}

}  // namespace stages_test
