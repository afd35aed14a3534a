// SPDX-License-Identifier: Apache-2.0
// How many updates a run with a buffer makes: a share of the frames after start_frames, or so many per round.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace pace_test {

using namespace tenon;

namespace {

constexpr const char* kManifest = R"(
[run]
total_frames = 100_000
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [4]
[buffer]
plugin = "replay/uniform"
capacity = 1_000
[objective]
plugin = "dqn/dqn"
[train]
batch = 20
minibatch = 8
start_frames = 100
)";

// After each of so many rounds, the updates that have been made.
void check(const std::string& pace, int rounds, double (*wanted)(std::int64_t frames)) {
    CAPTURE(pace);
    const test::ScratchFolder scratch;
    std::ofstream(scratch / "run.toml") << kManifest << pace << "\n";
    Problems problems;
    Setup setup = set_up({.manifest = scratch / "run.toml", .plugins = {{TENON_PLUGINS, "the test", {}}}}, problems);
    for (const Problem& problem : problems) {
        FAIL(render(problem));
    }
    auto executor = load_executor_of(*setup.wiring, setup.host->pool);
    REQUIRE(executor.has_value());
    auto trainer = Trainer::make(*setup.wiring, setup.running, *setup.host, executor->get());
    REQUIRE(trainer.has_value());
    for (int i = 0; i < rounds; ++i) {
        REQUIRE((*trainer)->round().has_value());
        const std::int64_t frames = (*trainer)->standing().frames;
        CAPTURE(frames);
        CHECK(frames == 20 * (i + 1));
        CHECK(static_cast<double>((*trainer)->standing().updates) == wanted(frames));
    }
}

}  // namespace

TEST_CASE("updates_per_frame makes this share of updates of the frames after start_frames") {
    check("updates_per_frame = 0.33", 30,
          [](std::int64_t frames) { return frames <= 100 ? 0 : std::floor(0.33 * static_cast<double>(frames - 100)); });
    check("updates_per_frame = 2.5", 12,
          [](std::int64_t frames) { return frames <= 100 ? 0 : std::floor(2.5 * static_cast<double>(frames - 100)); });
}

TEST_CASE("updates_per_batch makes so many updates in each round from start_frames on") {
    check("updates_per_batch = 3", 12,
          [](std::int64_t frames) { return frames < 100 ? 0.0 : 3.0 * static_cast<double>(frames / 20 - 4); });
}

}  // namespace pace_test
