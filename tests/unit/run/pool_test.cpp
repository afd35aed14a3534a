// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes step as they are ready (collector.kind = "pool"), on walkers of whom the first is slow
// (tests/fixtures/contract/broken_async.cpp). Steps are counted, not timed.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/sessions/session.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/snapshot.hpp"
#include "train/loop/trainer.hpp"

namespace pool_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

// Later lines of `change` go to the table that they name.
std::string manifest(const std::string& change = "") {
    return R"(
[run]
total_frames = 100_000
executor = "compiled"
[plugins]
search = [")" TENON_CONTRACT R"("]
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]
[exploration]
plugin = "explore/epsilon_greedy"
[train]
batch = 64
minibatch = 16
updates_per_batch = 2
[objective]
plugin = "dqn/dqn"
)" + change;
}

std::string walkers(const std::string& options = "slowness = 60") {
    return "[env]\nplugin = \"broken_async/Walk-v0\"\nlanes = 4\n" + options + "\n";
}
constexpr const char* kPool = "[collector]\nkind = \"pool\"\n";
constexpr const char* kUniform = "[buffer]\nplugin = \"replay/uniform\"\ncapacity = 4_000\n";

struct Rig {
    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;

    explicit Rig(const std::string& text) {
        const test::ScratchFolder scratch;
        test::spill(scratch / "m.toml", text);
        Problems problems;
        setup = set_up({.manifest = scratch / "m.toml"}, problems);
        for (const Problem& problem : problems) {
            FAIL(render(problem));
        }
        auto loaded = load_executor_of(*setup.wiring, setup.host->pool);
        REQUIRE(loaded.has_value());
        executor = std::move(*loaded);
        auto made = Trainer::make(*setup.wiring, setup.running, *setup.host, executor.get());
        REQUIRE(made.has_value());
        trainer = std::move(*made);
    }
    void rounds(int count) const {
        for (int round = 0; round < count; ++round) {
            const Status done = trainer->round();
            INFO((done ? "" : done.error().sentence));
            REQUIRE(done);
        }
    }
    [[nodiscard]] const Storage& rings() const { return trainer->source().experience(); }
};

// The first problem of a manifest.
std::string refusal(const std::string& text) {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", text);
    Problems problems;
    const Setup setup = set_up({.manifest = scratch / "m.toml"}, problems);
    return problems.empty() ? "" : problems.front().sentence;
}

// That every transition of a lane is one of a walker: action and place, and the steps of an episode, fit together.
void check_walks(const Storage& storage, std::uint32_t lane) {
    const StorageColumn& observation = *storage.find("observation");
    const auto at = [&](const View& view, std::uint32_t slot, int i) {
        return static_cast<const float*>(row_at(view, slot, lane))[i];
    };
    for (std::uint32_t i = 0; i < storage.view().count[lane]; ++i) {
        const std::uint32_t slot = (storage.view().first[lane] + i) % storage.slots();
        const bool done = storage.flags().ended(slot, lane);
        const View& later = done ? observation.final : observation.view;
        const std::uint32_t then = done ? slot : storage.slot_after(slot);
        const auto action = *static_cast<const std::int64_t*>(row_at(storage.find("action")->view, slot, lane));
        CAPTURE(lane, i, action, done);
        REQUIRE(at(later, then, 0) - at(observation.view, slot, 0) == static_cast<float>(action - 1));
        REQUIRE(at(later, then, 1) - at(observation.view, slot, 1) == 1.0F);
        REQUIRE(*static_cast<const float*>(row_at(storage.find("reward")->view, slot, lane)) == at(later, then, 0));
    }
}

TEST_CASE("a slow lane holds no other lane up") {
    const Rig rig(manifest(walkers() + kPool + kUniform));
    rig.rounds(10);
    const tn_buffer_view& view = rig.rings().view();
    const Standing& standing = rig.trainer->standing();
    CHECK(standing.frames >= 640);
    CHECK(standing.frames < 640 + 10 * 3);  // a round ends with the step that completes it
    CHECK(view.total == static_cast<std::uint64_t>(standing.frames));
    CHECK(view.count[0] >= 5);
    CHECK(view.count[0] <= view.total / 60 + 1);
    for (std::uint32_t lane = 1; lane < 4; ++lane) {
        CHECK(view.count[lane] >= 200);
        check_walks(rig.rings(), lane);
    }
    check_walks(rig.rings(), 0);
    CHECK(standing.updates == 20);
    CHECK(rig.trainer->source().episodes().finished() >= view.total / 9 - 4);
}

TEST_CASE("a pool that waits for all lanes steps all of them equally often") {
    const Rig rig(manifest(walkers("slowness = 0") + kPool + "ready = 4\n" + kUniform));
    rig.rounds(3);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        CHECK(rig.rings().view().count[lane] == 48);
        check_walks(rig.rings(), lane);
    }
}

TEST_CASE("a full ring of a lane keeps the newest frames of that lane") {
    const Rig rig(manifest(walkers() + kPool + "[buffer]\nplugin = \"replay/uniform\"\ncapacity = 160\n"));
    rig.rounds(8);
    CHECK(rig.rings().view().count[0] < 40);
    for (std::uint32_t lane = 1; lane < 4; ++lane) {
        CHECK(rig.rings().view().count[lane] == 40);
        check_walks(rig.rings(), lane);
    }
}

TEST_CASE("a pool goes on when a lane is lost or given up on its way") {
    const bool lost = GENERATE(true, false);
    const Rig rig(
        manifest(walkers(lost ? "fault = \"loses_a_lane\"" : "fault = \"breaks_a_lane\"") + kPool + kUniform));
    rig.rounds(3);
    CHECK(rig.trainer->source().lanes().running() == (lost ? 4 : 3));
    CHECK(rig.trainer->take_warnings().size() == 1);
    CHECK((rig.rings().view().count[1] > 30) == lost);
    CHECK(rig.trainer->standing().frames == static_cast<std::int64_t>(rig.rings().view().total) + (lost ? 0 : 2));
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        check_walks(rig.rings(), lane);
    }
}

TEST_CASE("a resumed pool has the frames, and begins new episodes") {
    const std::string text = manifest(walkers() + kPool + kUniform);
    const test::ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "saved");
    std::vector<std::uint32_t> counts;
    {
        const Rig rig(text);
        rig.rounds(4);
        REQUIRE(save(*rig.trainer, {}, true, scratch / "saved"));
        counts.assign(rig.rings().view().count, rig.rings().view().count + 4);
        rig.rounds(1);  // saving has not disturbed it
        check_walks(rig.rings(), 2);
    }
    const Rig rig(text);
    const auto restored = restore(*rig.trainer, scratch / "saved");
    REQUIRE(restored);
    CHECK(std::ranges::any_of(restored->notices, [](const std::string& notice) {
        return notice ==
               "the lanes of a pool begin new episodes (collector.kind = \"pool\"): the resumed run is not identical";
    }));
    CHECK(std::equal(counts.begin(), counts.end(), rig.rings().view().count));
    CHECK(rig.trainer->standing().updates == 8);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        check_walks(rig.rings(), lane);
        const std::uint32_t newest = rig.rings().slot_before(rig.rings().ring().lane_head(lane));
        CHECK(rig.rings().flags().truncated[std::size_t{newest} * 4 + lane] == 1);
    }
    rig.rounds(2);
    check_walks(rig.rings(), 1);
}

TEST_CASE("a recurrent policy acts in a pool") {
    std::string text =
        manifest(walkers() + kPool + "[buffer]\nplugin = \"replay/slices\"\nlength = 4\ncapacity = 4_000\n");
    const std::string plain = "plugin = \"mlp/q_value\"\n";
    text.replace(text.find(plain), plain.size(), "plugin = \"mlp/q_value\"\ncell = \"gru\"\ncell_size = 8\n");
    const Rig rig(text);
    rig.rounds(4);
    CHECK(rig.trainer->standing().updates == 8);
    check_walks(rig.rings(), 3);
}

// Learns from whole batches.
constexpr const char* kPpo = R"(
[run]
total_frames = 100_000
executor = "compiled"
[plugins]
search = [")" TENON_CONTRACT R"("]
[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
[policy.value]
plugin = "mlp/value"
hidden = [8]
[train]
batch = 64
minibatch = 16
epochs = 2
[objective]
plugin = "ppo/ppo"
)";

TEST_CASE("an objective that learns from whole batches gets as many steps of each lane") {
    const Rig rig(kPpo + walkers("slowness = 2\nfault = \"loses_a_lane\"") + kPool);
    for (int round = 1; round <= 4; ++round) {
        rig.rounds(1);
        CHECK(rig.trainer->standing().frames == 64 * round);
        CHECK(rig.trainer->standing().updates == 8 * round);
        CHECK(rig.trainer->extent()->steps() == 16);
        CHECK(rig.rings().view().total == 0);  // the batch has been learnt from
    }
    CHECK(rig.trainer->collect_batch());
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        CHECK(rig.rings().view().count[lane] == 16);
        CHECK(rig.rings().view().first[lane] == 0);
        check_walks(rig.rings(), lane);
    }
    std::string by_episodes = kPpo + walkers() + kPool;
    by_episodes.replace(by_episodes.find("batch = 64"), 10, "episodes = 8");
    CHECK_THAT(refusal(by_episodes),
               ContainsSubstring(
                   "train.episodes asks for whole episodes, but collector.kind = \"pool\" collects so many steps "
                   "of each lane"));
}

TEST_CASE("a program's rollout needs lanes that step together") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", manifest(walkers() + kPool + kUniform));
    Problems problems;
    const std::unique_ptr<Session> session = Session::open({.manifest = scratch / "m.toml"}, problems);
    REQUIRE(session != nullptr);
    const Result<Batch> refused = session->rollout(4);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence ==
          "a rollout has the same steps of all lanes, but collector.kind = \"pool\" steps lanes by themselves, as they "
          "are ready");
    CHECK(refused.error().place.line > 0);
}

TEST_CASE("what a pool is not for is said in one sentence") {
    const std::string pool = walkers() + kPool;
    const auto says = [&](const std::string& change, const std::string& sentence) {
        CHECK_THAT(refusal(manifest(change)), ContainsSubstring(sentence));
    };
    says(pool + "ready = 5\n" + kUniform, "collector.ready is 5, but there are only 4 lanes");
    says(walkers() + "[collector]\nready = 2\n" + kUniform,
         "collector.ready is the number of lanes that a pool waits for, but collector.kind = \"sync\" steps all lanes "
         "together");
    says(walkers("fault = \"unavailable\"") + kPool + kUniform,
         "collector.kind = \"pool\" steps lanes by themselves, but broken_async/Walk-v0 cannot answer later because "
         "its walkers go hand in hand");
    says(pool + "max_lag = 3\n" + kUniform,
         "collector.max_lag bounds the updates that are made while frames are collected, but collector.kind = "
         "\"pool\" makes updates between two rounds");
    says(pool + "record = \"kept.frames\"\n" + kUniform,
         "collector.record writes the steps of all lanes together, but collector.kind = \"pool\" steps lanes by "
         "themselves, as they are ready");
    says(
        pool + "[buffer]\nplugin = \"replay/prioritised\"\ncapacity = 4_000\n",
        "replay/prioritised remembers frames by the order in which they came, but collector.kind = \"pool\" counts the "
        "steps of each lane by itself");
    says(pool + kUniform + "writer = \"reservoir\"\n",
         "collector.kind = \"pool\" needs a buffer that keeps the newest frames, but buffer.writer = \"reservoir\" "
         "replaces "
         "frames anywhere in the buffer");
    says(pool + kUniform + "storage = \"compressed\"\n",
         "collector.kind = \"pool\" needs a buffer in memory, but buffer.storage = \"compressed\" keeps frames "
         "compressed");
    says(pool + kUniform + "storage = \"mmap\"\npath = \"kept\"\n",
         "collector.kind = \"pool\" needs a buffer in memory, but buffer.storage = \"mmap\" keeps frames in a file");
    says(pool + kUniform + "[parameter_noise]\n",
         "[parameter_noise] compares the newest steps of all lanes, but collector.kind = \"pool\" steps lanes by "
         "themselves");
    says(pool + kUniform + "[[hooks]]\nplugin = \"hooks/reward_log\"\n",
         "[[hooks]] read the newest steps of all lanes, but collector.kind = \"pool\" steps lanes by themselves");
    says("[env]\nplugin = \"classic/CartPole-v1\"\nlanes = 4\n" + std::string(kPool) + kUniform,
         "collector.kind = \"pool\" steps lanes by themselves, but classic/CartPole-v1 cannot answer later because it "
         "does "
         "not offer tenon.env.async/1");
    says(walkers() + "[[env.wrappers]]\nplugin = \"wrap/frame_skip\"\n" + kPool + kUniform,
         "steps lanes by themselves, but wrap/frame_skip steps the env in a step of its own");
    says("[env]\nplugin = \"broken_async/Walk-v0\"\nlanes = 4\nisolation = \"process\"\n" + std::string(kPool) +
             kUniform,
         "steps lanes by themselves, but broken_async/Walk-v0 has another process step all its lanes together");
    says(walkers() + "[[env.tasks]]\n[[env.tasks]]\n" + kPool + kUniform,
         "steps lanes by themselves, but [[env.tasks]] step one after the other");

    std::string awr = kPpo + pool + kUniform;
    awr.replace(awr.find("ppo/ppo"), 7, "awr/awr");
    awr.replace(awr.find("epochs = 2\n"), 11, "");
    CHECK_THAT(refusal(awr),
               ContainsSubstring("awr/awr computes columns of the frames in the order in which they come, but "
                                 "collector.kind = \"pool\" counts the steps of each lane by itself"));
    CHECK_THAT(refusal("[run]\ntotal_frames = 1_000\n[plugins]\nsearch = [\"" TENON_CONTRACT
                       "\"]\n[policy.actor]\nplugin = \"random/random\"\n" +
                       pool),
               ContainsSubstring(
                   "random/random is a procedure, which acts in all lanes at once, but collector.kind = \"pool\" "
                   "steps lanes by themselves"));
}

}  // namespace

}  // namespace pool_test
