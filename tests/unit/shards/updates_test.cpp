// SPDX-License-Identifier: Apache-2.0
// An update of two shards against one process that makes the same step of two minibatches (train.accumulate).
#include <memory>
#include <string>
#include <vector>

#include "engines/compiled/executor.hpp"
#include "memory_link.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace updates_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const std::vector<double> kLive{0.1, 0.0, 0.0, 0.0};                       // lr, momentum, dampening, weight_decay
const std::vector<std::vector<double>> kRows = {{0.3, -1.7}, {2.9, 0.1}};  // of each shard
constexpr std::uint32_t kNear = 0;
constexpr std::uint32_t kFar = 1;

// Two stages of one phase with a network each, and a third one with a network of a later phase.
struct Process {
    Sketch sketch;
    Learner learner;
    Memory y = memory("y", DType::kF64, {}, {0.0, 0.0});
    std::vector<StagePlan> stages{2};
    std::unique_ptr<Program> program;
    std::vector<double> norms{0, 0};
    std::vector<double> losses{0, 0};

    explicit Process(bool shares) {
        learner.real = DType::kF64;
        add_network(learner, "a", {{.name = "u", .shape = {}, .values = {0.5}, .trainable = true}});
        add_network(learner, "b", {{.name = "v", .shape = {}, .values = {-1.0}, .trainable = true}});
        stages[0].owned = {0};
        stages[1].owned = {shares ? 0U : 1U};
        for (StagePlan& stage : stages) {
            stage.optimiser.rule = SgdPlan{.lr = 0, .momentum = 1, .dampening = 2, .weight_decay = 3};
        }
        for (Network& network : learner.networks) {
            REQUIRE(begin_optimiser(network, learner.real, stages[0].optimiser).has_value());
        }
        const ValueId in_y = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        sketch.stage("near", {"a"});
        sketch.stage("far", {shares ? "a" : "b"});
        const ValueId u = sketch.parameter("a", "u", Type{}, "live", "");
        const ValueId v = shares ? u : sketch.parameter("b", "v", Type{}, "live", "");
        sketch.loss("near", kNear, sketch.add("square", {sketch.add("sub", {u, in_y})}));
        sketch.loss("far", kFar, sketch.add("mul", {sketch.add("square", {v}), in_y}));
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {y.port}, .outputs = {}, .seed = 0};
        auto made = compiled::make_executor(executor(DType::kF64))->update(spec, stages, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    Status run(const std::vector<double>& rows, StepPart part, Exchange* exchange) {
        const std::vector<const void*> inputs{rows.data()};
        const Call call{.sizes = {.rows = static_cast<std::int64_t>(rows.size())},
                        .inputs = inputs,
                        .numbers = {.live = kLive},
                        .part = part,
                        .results = {.losses = losses, .gradient_norms = norms},
                        .exchange = exchange};
        const Result<Computed*> done = program->run(call);
        return done ? Status() : Status(done.error());
    }

    [[nodiscard]] std::vector<double> numbers() const {
        return {read(learner, learner.networks[0], learner.networks[0].live, "u")[0],
                read(learner, learner.networks[1], learner.networks[1].live, "v")[0], norms[0], norms[1]};
    }
};

}  // namespace

TEST_CASE("an update of two shards has the bits of one process with train.accumulate = 2 on the same rows") {
    for (const bool shares : {false, true}) {
        CAPTURE(shares);
        Process whole(shares);
        std::vector<std::vector<double>> losses;
        for (int update = 0; update < 3; ++update) {
            REQUIRE(whole.run(kRows[0], {.first = true, .last = false}, nullptr));
            losses.push_back(whole.losses);
            REQUIRE(whole.run(kRows[1], {.first = false, .last = true}, nullptr));
            losses.push_back(whole.losses);
        }
        std::vector<std::unique_ptr<Process>> shards;
        shards.push_back(std::make_unique<Process>(shares));
        shards.push_back(std::make_unique<Process>(shares));
        std::vector<std::vector<double>> theirs(6);
        in_whole_group(2, [&](Group& group) {
            for (std::size_t update = 0; update < 3; ++update) {
                if (!shards[group.rank()]->run(kRows[group.rank()], {}, &group)) {
                    return;
                }
                theirs[2 * update + group.rank()] = shards[group.rank()]->losses;
            }
        });
        CHECK(shards[0]->numbers() == whole.numbers());
        CHECK(shards[1]->numbers() == whole.numbers());
        // the losses of the first update are of equal parameters in all; with shared stages those of later ones, too
        CHECK(theirs == losses);
    }
}

TEST_CASE("a shard whose loss is not finite fails alone, and the other waits for what it says") {
    Process first(false);
    Process second(false);
    std::vector<std::string> said(2);
    in_whole_group(2, [&](Group& group) {
        Process& own = group.rank() == 0 ? first : second;
        const Status met = group.meet({});
        const Status done = own.run(group.rank() == 0 ? kRows[0] : std::vector<double>{1.0, std::nan("")}, {}, &group);
        said[group.rank()] = done ? "" : done.error().sentence;
        group.leave(done ? nullptr : &done.error());
    });
    CHECK(said[1].find("is nan in the program 'update'") != std::string::npos);
    CHECK(said[0] == "shard 1 of 2 (thread 1): " + said[1]);
    CHECK(first.numbers()[0] == 0.5);  // nothing has changed
}

}  // namespace updates_test
