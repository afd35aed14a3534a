// SPDX-License-Identifier: Apache-2.0
// Exploration by random actions, as a run collects with it: how many actions are random, that whole actions are, and
// that each is as likely as any other.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace random_actions_test {

using namespace tenon;

namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::int64_t kSteps = 1500;
constexpr double kEpsilon = 0.3;

// All values are equal, since a gain this small is 0 in float32: the greedy action is the first one.
std::string manifest_of(const std::string& kind) {
    return R"(
[run]
total_frames = 100_000
[env]
plugin = "choices/Choices-v0"
lanes = 8
action = ")" +
           kind + R"("
[policy.qvalue]
plugin = "mlp/q_value"
hidden = []
weight_init = "orthogonal"
last_gain = 1e-300
[exploration]
plugin = "explore/epsilon_greedy"
epsilon = 0.3
[buffer]
plugin = "replay/uniform"
capacity = 100_000
[objective]
plugin = "dqn/dqn"
)";
}

double number_at(const void* row, DType dtype, std::size_t element) {
    switch (dtype) {
        case DType::kBool:
            return static_cast<double>(static_cast<const std::uint8_t*>(row)[element]);
        case DType::kI64:
            return static_cast<double>(static_cast<const std::int64_t*>(row)[element]);
        default:
            FAIL("actions of another type than this test knows");
            return 0;
    }
}

// How often each action was taken.
std::map<std::vector<double>, double> collected(const std::string& kind, std::size_t elements) {
    const test::ScratchFolder scratch;
    std::ofstream(scratch / "run.toml") << manifest_of(kind);
    Problems problems;
    const Request request{.manifest = scratch / "run.toml",
                          .plugins = {{TENON_PLUGINS, "the test", {}}, {TENON_FIXTURE_PLUGINS, "the test", {}}}};
    Setup setup = set_up(request, problems);
    for (const Problem& problem : problems) {
        FAIL(render(problem));
    }
    auto executor = load_executor_of(*setup.wiring, setup.host->pool);
    REQUIRE(executor.has_value());
    auto trainer = Trainer::make(*setup.wiring, setup.running, *setup.host, executor->get());
    REQUIRE(trainer.has_value());
    for (std::int64_t i = 0; i < kSteps; ++i) {
        REQUIRE((*trainer)->collect().has_value());
    }
    const StorageColumn* const column = (*trainer)->source().storage().find("action");
    REQUIRE(column != nullptr);
    std::map<std::vector<double>, double> times;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t step = 0; step < kSteps; ++step) {
            const void* const row = row_at(column->view, static_cast<std::uint32_t>(step), lane);
            std::vector<double> action;
            for (std::size_t i = 0; i < elements; ++i) {
                action.push_back(number_at(row, column->dtype, i));
            }
            ++times[action];
        }
    }
    return times;
}

struct Kind {
    std::string name;
    std::size_t elements;
    std::size_t actions;
    std::vector<double> greedy;
};

}  // namespace

TEST_CASE("epsilon is the share of random actions, and each of them is equally likely") {
    for (const Kind& kind : {Kind{"categorical", 1, 4, {0}}, Kind{"one_hot", 4, 4, {1, 0, 0, 0}},
                             Kind{"multi_categorical", 2, 6, {0, 0}}, Kind{"binary", 3, 8, {0, 0, 0}}}) {
        CAPTURE(kind.name);
        const std::map<std::vector<double>, double> times = collected(kind.name, kind.elements);
        constexpr double kCount = kSteps * kLanes;
        CHECK(times.size() == kind.actions);
        for (const auto& [action, count] : times) {
            CAPTURE(action);
            const double share =
                kEpsilon / static_cast<double>(kind.actions) + (action == kind.greedy ? 1 - kEpsilon : 0);
            CHECK(std::abs(count / kCount - share) < 5 * std::sqrt(share * (1 - share) / kCount));
        }
    }
}

}  // namespace random_actions_test
