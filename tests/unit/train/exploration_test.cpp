// SPDX-License-Identifier: Apache-2.0
// Noise on actions, as a run collects with it: it follows its law, begins anew with each episode if a lane remembers
// it, stands in the action and takes no room in the buffer.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace exploration_test {

using namespace tenon;

namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::int64_t kSteps = 900;  // episodes of 200: five beginnings a lane

// Locations are almost 0, so that what is seen of actions is the noise.
constexpr const char* kCommon = R"(
[run]
total_frames = 100_000
[env]
plugin = "classic/Pendulum-v1"
lanes = 8
[buffer]
plugin = "replay/uniform"
capacity = 100_000
)";

constexpr const char* kGaussian = R"(
[policy.qvalue]
plugin = "mlp/q"
[policy.actor]
plugin = "mlp/deterministic"
weight_init = "orthogonal"
last_gain = 1e-9
[exploration]
plugin = "explore/gaussian"
sigma = 0.1
[objective]
plugin = "ddpg/ddpg"
)";

constexpr const char* kDrifts = R"(
[policy.qvalue]
plugin = "mlp/q"
[policy.actor]
plugin = "mlp/deterministic"
weight_init = "orthogonal"
last_gain = 1e-9
[exploration]
plugin = "explore/ornstein_uhlenbeck"
sigma = 0.1
theta = 2.0
dt = 0.25
[objective]
plugin = "ddpg/ddpg"
)";

// The features are the observation itself.
constexpr const char* kOfState = R"(
[policy.qvalue]
plugin = "mlp/q"
count = 2
[policy.actor]
plugin = "mlp/tanh_gsde"
hidden = []
weight_init = "orthogonal"
last_gain = 1e-9
initial_log_scale = -3.0
[objective]
plugin = "sac/sac"
)";

class Collected {
public:
    explicit Collected(const std::string& manifest) {
        std::ofstream(scratch_ / "run.toml") << kCommon << manifest;
        Problems problems;
        const Request request{.manifest = scratch_ / "run.toml", .plugins = {{TENON_PLUGINS, "the test", {}}}};
        setup_ = std::make_unique<Setup>(set_up(request, problems));
        REQUIRE(problems.empty());
        auto executor = load_executor_of(*setup_->wiring, setup_->host->pool);
        REQUIRE(executor.has_value());
        executor_ = std::move(*executor);
        auto made = Trainer::make(*setup_->wiring, setup_->running, *setup_->host, executor_.get());
        REQUIRE(made.has_value());
        trainer = std::move(*made);
    }

    [[nodiscard]] double at(std::string_view key, std::int64_t step, std::uint32_t lane,
                            std::size_t element = 0) const {
        const StorageColumn* const column = trainer->source().storage().find(key);
        const void* const row = row_at(column->view, static_cast<std::uint32_t>(step), lane);
        return column->dtype == DType::kBool ? static_cast<double>(*static_cast<const std::uint8_t*>(row))
                                             : static_cast<double>(static_cast<const float*>(row)[element]);
    }

private:
    test::ScratchFolder scratch_;
    std::unique_ptr<Setup> setup_;
    std::unique_ptr<Executor> executor_;

public:
    std::unique_ptr<Trainer> trainer;
};

void check_standard_normal(double sum, double squares, double count) {
    CHECK(std::abs(sum / count) < 6 / std::sqrt(count));
    CHECK(std::abs(squares / count - 1) < 6 * std::sqrt(2 / count));
}

}  // namespace

TEST_CASE("gaussian noise has the deviation that is asked for, in halves of the action's range") {
    const Collected run(kGaussian);
    double sum = 0;
    double squares = 0;
    double together = 0;
    for (std::int64_t i = 0; i < kSteps; ++i) {
        REQUIRE(run.trainer->collect().has_value());
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t step = 0; step < kSteps; ++step) {
            const double noise = run.at("action", step, lane) / (2 * 0.1);
            sum += noise;
            squares += noise * noise;
            together += step == 0 ? 0 : noise * run.at("action", step - 1, lane) / (2 * 0.1);
        }
    }
    const double count = static_cast<double>(kSteps) * kLanes;
    check_standard_normal(sum, squares, count);
    CHECK(std::abs(together / count) < 6 / std::sqrt(count));  // each step draws its own
}

TEST_CASE("drifting noise follows its law, begins anew with each episode and stands in the action") {
    const Collected run(kDrifts);
    for (std::int64_t i = 0; i < kSteps; ++i) {
        REQUIRE(run.trainer->collect().has_value());
    }
    CHECK(run.trainer->source().storage().find("exploration.noise") == nullptr);
    double sum = 0;
    double squares = 0;
    int beginnings = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t step = 0; step < kSteps; ++step) {
            const auto noise = [&](std::int64_t at) { return run.at("action", at, lane) / (2 * 0.1); };
            const bool first = run.at("is_init", step, lane) != 0;
            beginnings += first ? 1 : 0;
            const double before = first ? 0 : noise(step - 1);
            const double drive = (noise(step) - 0.5 * before) / 0.5;  // 1 - theta dt, and the root of dt
            sum += drive;
            squares += drive * drive;
        }
    }
    CHECK(beginnings == 5 * static_cast<int>(kLanes));
    check_standard_normal(sum, squares, static_cast<double>(kSteps) * kLanes);
}

TEST_CASE("noise of the state is one matrix times the state for an episode, or for as many steps as are asked for") {
    for (const std::int64_t freq : {0, 16}) {
        CAPTURE(freq);
        std::string manifest = kOfState;
        manifest.replace(manifest.find("hidden"), 0, "sample_freq = " + std::to_string(freq) + "\n");
        const Collected run(manifest);
        std::vector<std::vector<float>> before(kLanes);
        std::vector<std::int64_t> age(kLanes);
        double sum = 0;
        double squares = 0;
        double drawn = 0;
        for (std::int64_t step = 0; step < kSteps; ++step) {
            const std::uint32_t slot = run.trainer->source().storage().head();
            REQUIRE(run.trainer->collect().has_value());
            const auto* const matrix = static_cast<const float*>(run.trainer->source().memories()->now("actor.noise"));
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                const std::vector<float> now(matrix + std::size_t{3} * lane, matrix + std::size_t{3} * (lane + 1));
                const bool again = run.at("is_init", slot, lane) != 0 || (freq > 0 && age[lane] == freq);
                CHECK((now != before[lane]) == again);
                age[lane] = again ? 1 : age[lane] + 1;
                double expected = 0;
                for (std::size_t i = 0; i < 3; ++i) {
                    const auto element = static_cast<double>(now[i]);
                    expected += run.at("observation", slot, lane, i) * std::exp(-3.0) * element;
                    sum += again ? element : 0;
                    squares += again ? element * element : 0;
                    drawn += again ? 1 : 0;
                }
                CHECK(std::abs(std::atanh(run.at("action", slot, lane) / 2) - expected) < 1e-5);
                before[lane] = now;
            }
        }
        CHECK(drawn == (freq == 0 ? 5 : 4 * 13 + 7) * 3.0 * kLanes);  // of 200 steps each, and 100 at the end
        check_standard_normal(sum, squares, drawn);
        CHECK(run.trainer->source().storage().find("actor.noise") == nullptr);
    }
}

}  // namespace exploration_test
