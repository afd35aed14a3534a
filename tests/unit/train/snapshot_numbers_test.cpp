// SPDX-License-Identifier: Apache-2.0
// Every number of a checkpoint's state comes back as itself: each has a value that no other one has.
#include "train/loop/snapshot_numbers.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace snapshot_numbers_test {

using namespace tenon;

namespace {

// Two units, both with a buffer; the second one computes columns of its frames.
constexpr const char* kManifest = R"(
[run]
executor = "compiled"
total_frames = 10_000
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.actor]
plugin = "mlp/categorical"
hidden = [4]
[policy.value]
plugin = "mlp/value"
hidden = [4]
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [4]
[buffer]
plugin = "replay/uniform"
capacity = 160
[[objective]]
name = "values"
plugin = "dqn/dqn"
[[objective]]
name = "clone"
plugin = "awr/awr"
[train]
batch = 64
start_frames = 0
minibatch = 32
)";

struct Rig {
    explicit Rig(const std::filesystem::path& manifest) {
        Problems problems;
        setup = set_up({.manifest = manifest, .plugins = {{TENON_PLUGINS, "the test", {}}}}, problems);
        for (const Problem& problem : problems) {
            FAIL(render(problem));
        }
        auto loaded = load_executor_of(*setup.wiring, setup.host->pool);
        REQUIRE(loaded.has_value());
        executor = std::move(*loaded);
        auto made = Trainer::make(*setup.wiring, setup.running, *setup.host, executor.get());
        REQUIRE(made.has_value());
        trainer = std::move(*made);
        trainer->progress().versions.lag(2);
        for (Network& network : trainer->learner().networks) {
            network.reference = *Slab::make(network.live.size());
        }
    }

    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;
    SnapshotExtras extras;
};

// Everything that is saved as a number or a flag, in any order.
template <class Visit>
void each_saved(Rig& rig, Visit visit) {
    Trainer& trainer = *rig.trainer;
    Standing& s = trainer.standing();
    visit(s.frames), visit(s.steps), visit(s.updates), visit(s.left_out), visit(s.best_position);
    visit(s.best_return), visit(s.since_best);
    for (double& moved : s.moved) {
        visit(moved);
    }
    for (Ranked& one : s.ranked) {
        visit(one.position), visit(one.score);
    }
    visit(rig.extras.records), visit(rig.extras.round_began);
    for (Score& score : rig.extras.scores) {
        visit(score.return_mean), visit(score.return_std), visit(score.length_mean), visit(score.episodes);
    }
    for (Network& network : trainer.learner().networks) {
        visit(network.steps), visit(network.since_target), visit(network.since_reference);
    }
    RunProgress& progress = trainer.progress();
    RoundPosition& round = progress.round;
    visit(round.begun), visit(round.collected), visit(round.steps), visit(round.frames), visit(round.unit);
    visit(round.part.begun), visit(round.part.steps), visit(round.part.updates);
    for (std::int64_t& updates : progress.versions.updates) {
        visit(updates);
    }
    visit(progress.versions.behind);
    for (std::size_t i = 0; i < progress.units.size(); ++i) {
        LearningUnit& unit = trainer.units()[i];
        UnitProgress& at = progress.units[i];
        visit(at.updates), visit(at.rounds);
        if (unit.stores()) {
            visit(at.stored);
        }
        visit(at.round.due), visit(at.round.epoch), visit(at.round.minibatch), visit(at.round.shuffled);
        visit(at.round.stopped);
        for (auto* list : {&unit.means().losses, &unit.means().metrics, &unit.means().gradient_norms}) {
            for (Mean& mean : *list) {
                visit(mean.sum), visit(mean.count);
            }
        }
    }
}

Status all_numbers(SavedFields fields, Rig& rig) {
    run_numbers(fields, rig.trainer->standing(), rig.extras);
    mean_numbers(fields, *rig.trainer);
    network_numbers(fields, rig.trainer->learner());
    return round_numbers(fields, *rig.trainer, rig.extras);
}

std::vector<double> numbers_of(Rig& rig) {
    std::vector<double> out;
    each_saved(rig, [&](auto& value) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
            out.push_back(static_cast<double>(value));
        }
    });
    return out;
}

std::vector<bool> flags_of(Rig& rig) {
    std::vector<bool> out;
    each_saved(rig, [&](auto& value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
            out.push_back(value);
        }
    });
    return out;
}

}  // namespace

TEST_CASE("what is saved of a run's numbers is restored where it was") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", kManifest);
    Rig saved(scratch / "m.toml");
    Rig restored(scratch / "m.toml");
    REQUIRE(saved.trainer->units().size() == 2);
    CHECK(saved.trainer->units()[1].stores());
    saved.trainer->standing().moved.resize(2);
    saved.trainer->standing().ranked.resize(2);
    saved.extras.scores.resize(2);
    saved.extras.executor = "an executor";
    saved.extras.graph = "a graph";
    const std::size_t flags = flags_of(saved).size();
    for (std::size_t set = 0; set < flags; ++set) {  // one flag after the other is the only one that is set
        CAPTURE(set);
        int number = 100;
        std::size_t flag = 0;
        each_saved(saved, [&](auto& value) {
            using E = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<E, bool>) {
                value = flag++ == set;
            } else {
                value = static_cast<E>(++number);
            }
        });
        const std::vector<double> expected = numbers_of(saved);
        REQUIRE(std::set<double>(expected.begin(), expected.end()).size() == expected.size());

        ByteWriter out;
        REQUIRE(all_numbers(SavedFields(out), saved));
        ByteReader in(out.bytes(), "the test");
        restored.extras = {};
        REQUIRE(all_numbers(SavedFields(in), restored));
        REQUIRE(in.status());
        CHECK(numbers_of(restored) == expected);
        CHECK(flags_of(restored) == flags_of(saved));
        CHECK(restored.extras.executor == "an executor");
        CHECK(restored.extras.graph == "a graph");
    }
}

}  // namespace snapshot_numbers_test
