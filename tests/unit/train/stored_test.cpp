// SPDX-License-Identifier: Apache-2.0
// Columns that an objective computes of frames as they come into its buffer: each frame has them once, with what
// follows it in its round, and where the ring wraps around, too.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/loop/snapshot.hpp"
#include "train/loop/trainer.hpp"

namespace stored_test {

using namespace tenon;

namespace {

constexpr double kGamma = 0.9;
constexpr std::uint32_t kLanes = 4;
constexpr std::uint32_t kSteps = 16;  // of a lane in a round

// Episodes of about 20 steps, a ring of 40.
constexpr const char* kPlays = R"(
[run]
total_frames = 100_000
[train]
batch = 64
start_frames = 0
updates_per_batch = 1
minibatch = 32
)";
constexpr const char* kOnlyLearns = R"(
[train]
total_updates = 10
minibatch = 32
)";
constexpr const char* kRun = R"(
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
[policy.value]
plugin = "mlp/value"
hidden = [8]
[buffer]
plugin = "replay/uniform"
capacity = 160
[objective]
plugin = "awr/awr"
gamma = 0.9
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
    }

    [[nodiscard]] const Storage& storage() const { return trainer->source().storage(); }

    void round() const { REQUIRE(trainer->round(never_stops).has_value()); }

    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;
};

template <class T>
double number_at(const Storage& storage, std::string_view key, std::uint32_t slot, std::uint32_t lane) {
    return static_cast<double>(*static_cast<const T*>(row_at(storage.find(key)->view, slot, lane)));
}

// The returns of the last `steps` steps, one lane after the other, by adding up.
std::vector<double> expected_of(const Storage& storage, std::uint32_t steps) {
    std::vector<double> out;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        double after = 0;
        for (std::uint32_t back = 1; back <= steps; ++back) {
            const std::uint32_t slot = storage.slot_back(back);
            const bool done = number_at<std::uint8_t>(storage, "terminated", slot, lane) != 0 ||
                              number_at<std::uint8_t>(storage, "truncated", slot, lane) != 0;
            after = number_at<float>(storage, "reward", slot, lane) + (done ? 0 : kGamma * after);
            out.push_back(after);
        }
    }
    return out;
}

std::vector<double> stored_in(const Storage& storage, std::uint32_t steps) {
    std::vector<double> out;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::uint32_t back = 1; back <= steps; ++back) {
            out.push_back(number_at<float>(storage, "return_to_go", storage.slot_back(back), lane));
        }
    }
    return out;
}

void check_equal(const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(found[i] - expected[i]) < 1e-5);
    }
}

TEST_CASE("frames have their columns after the round that they came in, around the ring's end as well") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", std::string(kPlays) + kRun);
    const Rig rig(scratch / "m.toml");
    bool wrapped = false;
    for (int round = 0; round < 8; ++round) {
        rig.round();
        check_equal(stored_in(rig.storage(), kSteps), expected_of(rig.storage(), kSteps));
        wrapped = wrapped || (rig.storage().head() > 0 && rig.storage().head() < kSteps);
    }
    CHECK(wrapped);
}

TEST_CASE("a later round leaves the columns of the earlier ones as they are") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", std::string(kPlays) + kRun);
    const Rig rig(scratch / "m.toml");
    rig.round();
    const std::vector<double> first = stored_in(rig.storage(), kSteps);
    rig.round();
    const std::vector<double> both = stored_in(rig.storage(), 2 * kSteps);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto earlier = both.begin() + lane * 2 * kSteps + kSteps;
        CHECK(std::vector<double>(earlier, earlier + kSteps) ==
              std::vector<double>(first.begin() + lane * kSteps, first.begin() + (lane + 1) * kSteps));
    }
}

TEST_CASE("frames that a buffer begins with have their columns, over episodes as a whole") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", std::string(kPlays) + kRun);
    constexpr std::uint32_t kHeld = 32;
    {
        const Rig rig(scratch / "m.toml");
        rig.round();
        rig.round();
        std::filesystem::create_directory(scratch / "saved");
        REQUIRE(save(*rig.trainer, {}, true, scratch / "saved").has_value());
    }
    std::string learns_only = std::string(kOnlyLearns) + kRun;
    learns_only.insert(learns_only.find("capacity"), "init = \"saved\"\n");
    test::spill(scratch / "learns.toml", learns_only);
    const Rig learns(scratch / "learns.toml");
    learns.round();
    check_equal(stored_in(learns.storage(), kHeld), expected_of(learns.storage(), kHeld));
}

TEST_CASE("store_episodes gives the frames of an episode their final columns when it has ended") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", std::string(kPlays) + R"(
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[[env.transforms]]
plugin = "standard/target_return"
target = 20.0
[[env.transforms]]
plugin = "standard/previous_action"
[policy.trunk]
plugin = "transformer/decision"
context = 3
width = 8
layers = 1
heads = 1
out = ["hidden"]
[policy.actor]
plugin = "mlp/categorical"
hidden = []
in = ["hidden"]
[buffer]
plugin = "replay/windows"
before = 2
columns = ["observation", "action", "return_to_go"]
ended = true
capacity = 400
[objective]
plugin = "decision/transformer"
discount = 0.9
)");
    const Rig rig(scratch / "m.toml");
    std::size_t crossing = 0;  // frames of ended episodes that began in an earlier round
    for (int round = 0; round < 12; ++round) {
        rig.round();
        const Storage& storage = rig.storage();
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t held = storage.ring().count(lane);
            const std::vector<double> found = stored_in(storage, held);
            const std::vector<double> expected = expected_of(storage, held);
            bool ended = false;
            for (std::uint32_t back = 1; back <= held; ++back) {
                ended = ended || storage.flags().ended(storage.slot_back(back), lane);
                const std::size_t at = std::size_t{lane} * held + back - 1;
                CAPTURE(round, lane, back);
                CHECK((!ended || std::abs(found[at] - expected[at]) < 1e-5));
                crossing += ended && back > kSteps ? 1 : 0;
            }
        }
    }
    CHECK(crossing > 100);
}

}  // namespace

}  // namespace stored_test
