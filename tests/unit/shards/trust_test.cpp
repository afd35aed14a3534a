// SPDX-License-Identifier: Apache-2.0
// Shards whose compiled programs are compared with the reference executor: if one shard's disagree, all leave them
// before the same update, and no parameter differs.
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engines/compiled/watched.hpp"
#include "memory_link.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "unit/compiled/other_op.hpp"

namespace trust_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const std::vector<double> kLive{0.1, 0.0, 0.0, 0.0};  // lr, momentum, dampening, weight_decay
constexpr int kUpdates = 6;

struct Process {
    Sketch sketch;
    Learner learner;
    Memory y = memory("y", DType::kF32, {}, {0.0F});
    std::vector<StagePlan> stages{1};
    std::shared_ptr<compiled::Trust> trust;
    std::shared_ptr<Counted> reference;
    std::unique_ptr<Program> program;
    std::string said;

    Process(std::string_view instead, Group* group)
        : trust(std::make_shared<compiled::Trust>(compiled::Trust{.exchange = group})) {
        learner.real = DType::kF32;
        add_network(learner, "a", {{.name = "u", .shape = {}, .values = {0.4}}});
        stages[0].owned = {0};
        stages[0].optimiser.rule = SgdPlan{.lr = 0, .momentum = 1, .dampening = 2, .weight_decay = 3};
        REQUIRE(begin_optimiser(learner.networks[0], learner.real, stages[0].optimiser).has_value());
        const ValueId in = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        sketch.stage("all", {"a"});
        const ValueId u = sketch.parameter("a", "u", Type{});
        const ValueId squashed = sketch.add("tanh", {sketch.add("mul", {in, u})});
        sketch.loss("error", 0, sketch.add("square", {sketch.add("sub", {squashed, in})}));
        Wrong ours(instead);
        auto plain = executor(DType::kF32)->update(spec(), stages, learner);
        auto compiled = ours.update(spec(), stages, learner);
        REQUIRE(plain.has_value());
        REQUIRE(compiled.has_value());
        reference = std::make_shared<Counted>(std::move(*plain));
        program = compiled::watch(
            std::move(*compiled), reference,
            {.spec = spec(),
             .stages = stages,
             .learner = learner,
             .trust = trust,
             .disagreed = [this](const compiled::Watch&, const Call&, const std::string& what) { said += what; }});
    }

    [[nodiscard]] ProgramSpec spec() const {
        return {.name = "update", .graph = &sketch.graph, .inputs = {y.port}, .outputs = {}};
    }

    Status run(std::size_t shard, int update, Exchange* exchange) {
        const std::vector<float> rows{0.7F + static_cast<float>(shard), -0.3F * static_cast<float>(update)};
        std::vector<double> losses(1), norms(1);
        const std::vector<const void*> inputs{rows.data()};
        const Call call{.sizes = {.rows = 2},
                        .inputs = inputs,
                        .numbers = {.live = kLive, .updates = static_cast<double>(update)},
                        .results = {.losses = losses, .gradient_norms = norms},
                        .exchange = exchange};
        const Result<Computed*> done = program->run(call);
        return done ? Status() : Status(done.error());
    }

    [[nodiscard]] double u() const { return read(learner, learner.networks[0], learner.networks[0].live, "u")[0]; }
};

struct Seen {
    std::string problem;
    std::string said;
    double u = 0;
    int by_reference = 0;  // how often the reference was asked, to compare or to compute
    bool distrusted = false;
};

// Shard 1 has another op in the place of tanh. `loses_at`: the update before which shard 1 loses trust by another
// program, such as one that acts; -1: it does not.
std::vector<Seen> after_updates(std::size_t shards, std::string_view instead, int loses_at, int first = 0) {
    std::vector<Seen> out(shards);
    in_whole_group(shards, [&](Group& group) {
        std::unique_lock lock(asserting);
        Process own(group.rank() == 1 ? instead : "tanh", &group);
        lock.unlock();
        Seen& seen = out[group.rank()];
        for (int update = first; update < kUpdates; ++update) {
            if (group.rank() == 1 && update == loses_at) {
                own.trust->lose();
            }
            if (const Status done = own.run(group.rank(), update, &group); !done) {
                seen.problem = done.error().sentence;
                group.leave(&done.error());
                return;
            }
        }
        lock.lock();
        seen = {.problem = "",
                .said = own.said,
                .u = own.u(),
                .by_reference = own.reference->runs,
                .distrusted = group.is_distrusted()};
    });
    return out;
}

}  // namespace

TEST_CASE("shards whose compiled programs agree are watched at their first updates, and then run alone") {
    for (const Seen& seen : after_updates(2, "tanh", -1)) {
        CHECK(seen.problem == "");
        CHECK(seen.by_reference == compiled::kWatched);
        CHECK_FALSE(seen.distrusted);
    }
}

TEST_CASE(
    "if the compiled program of one shard disagrees, all shards make this update and all later ones by the reference") {
    for (const std::size_t shards : {2U, 3U, 4U}) {
        CAPTURE(shards);
        const std::vector<Seen> right = after_updates(shards, "tanh", -1);
        const std::vector<Seen> found = after_updates(shards, "sigmoid", -1);
        for (std::size_t rank = 0; rank < shards; ++rank) {
            CHECK(found[rank].problem == "");
            CHECK(found[rank].said.empty() == (rank != 1));
            CHECK(found[rank].by_reference == kUpdates + 1);  // once to be compared with
            CHECK(found[rank].distrusted);
            CHECK(found[rank].u == right[0].u);
        }
    }
}

TEST_CASE("trust that one shard loses between two updates is lost by all after the next one") {
    const std::vector<Seen> found = after_updates(2, "tanh", kUpdates - 2, compiled::kWatched);
    for (const Seen& seen : found) {
        CHECK(seen.problem == "");
        CHECK(seen.by_reference == 1);  // the last one; the one before told it
        CHECK(seen.distrusted);
        CHECK(seen.u == found[0].u);
    }
}

}  // namespace trust_test
