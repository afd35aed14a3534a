// SPDX-License-Identifier: Apache-2.0
// Noise that drifts, as a run collects with it: what a lane remembers follows its law, begins anew with each episode
// and stands in the action.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "run/executor.hpp"
#include "run/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/trainer.hpp"

using namespace tenon;

namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::int64_t kSteps = 900;  // episodes of 200: four beginnings a lane

// A deterministic actor whose action is almost 0, so that what is seen is the noise.
constexpr const char* kManifest = R"(
[run]
total_frames = 100_000
[env]
plugin = "classic/Pendulum-v1"
lanes = 8
[policy.actor]
plugin = "mlp/deterministic"
weight_init = "orthogonal"
last_gain = 1e-9
[policy.qvalue]
plugin = "mlp/q"
[exploration]
plugin = "explore/ornstein_uhlenbeck"
sigma = 0.1
theta = 2.0
dt = 0.25
[buffer]
plugin = "replay/uniform"
capacity = 100_000
[objective]
plugin = "ddpg/ddpg"
)";

float value_at(const StorageColumn& column, std::uint32_t slot, std::uint32_t lane) {
    return *static_cast<const float*>(row_at(column.view, slot, lane));
}

}  // namespace

TEST_CASE("drifting noise follows its law, begins anew with each episode and stands in the action") {
    const test::ScratchFolder scratch;
    const auto file = scratch / "ou.toml";
    std::ofstream(file) << kManifest;
    Problems problems;
    const Request request{.manifest = file, .plugins = {{TENON_PLUGINS, "the test", {}}}};
    const Setup setup = set_up(request, problems);
    REQUIRE(problems.empty());
    auto executor = load_executor_of(*setup.wiring);
    REQUIRE(executor.has_value());
    auto trainer = Trainer::make(*setup.wiring, *setup.host, executor->executor.get());
    REQUIRE(trainer.has_value());
    for (std::int64_t i = 0; i < kSteps; ++i) {
        REQUIRE((*trainer)->collect().has_value());
    }
    const Storage& storage = (*trainer)->storage();
    const StorageColumn* const noise = storage.find("exploration.noise");
    const StorageColumn* const action = storage.find("action");
    const StorageColumn* const begins = storage.find("is_init");
    REQUIRE((noise != nullptr && action != nullptr && begins != nullptr));
    double sum = 0;
    double squares = 0;
    int beginnings = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::uint32_t slot = 0; slot < kSteps; ++slot) {
            const bool first = *static_cast<const std::uint8_t*>(row_at(begins->view, slot, lane)) != 0;
            beginnings += first ? 1 : 0;
            const double before = first ? 0 : value_at(*noise, slot, lane);
            const double now = value_at(*noise, slot + 1, lane);
            const double drive = (now - 0.5 * before) / 0.5;  // 1 - theta dt, and the root of dt
            sum += drive;
            squares += drive * drive;
            CHECK(std::abs(value_at(*action, slot, lane) - std::clamp(2 * 0.1 * now, -2.0, 2.0)) < 1e-5);
        }
    }
    CHECK(beginnings == 5 * static_cast<int>(kLanes));
    const double count = static_cast<double>(kSteps) * kLanes;
    CHECK(std::abs(sum / count) < 6 / std::sqrt(count));
    CHECK(std::abs(squares / count - 1) < 6 * std::sqrt(2 / count));
}
