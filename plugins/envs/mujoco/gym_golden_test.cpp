// SPDX-License-Identifier: Apache-2.0
// Compares 1,000 steps of every task with Gymnasium's, from the same state with the same actions: observations, rewards,
// terminations and infos are equal to the last bit. Both sides run the same library of MuJoCo.
#include <cstdlib>

#include "golden_rollout.hpp"
#include "gym_env.hpp"
#include "half_cheetah.hpp"

using namespace tenon::test;
using physics::GymEnv;

namespace {

const bool packages_are_named = setenv("TENON_PYTHON", TENON_TEST_PYTHON, 0) == 0;

struct Compared {
    std::string variant = {};
    std::int64_t steps = 0;
    std::int64_t ends = 0;
    std::int64_t told = 0;
};

template <class Task>
using Change = std::function<void(OptionValues<GymEnv<Task>>&)>;

template <class Task>
std::vector<Compared> compare(const std::string& name, const std::map<std::string, Change<Task>>& variants) {
    std::vector<Compared> all;
    std::unique_ptr<OneLane<GymEnv<Task>>> lane;
    for_each_golden_line(name, [&](GoldenLine& line) {
        if (line.word == "variant") {
            Compared& now = all.emplace_back();
            line.rest >> now.variant;
            REQUIRE(variants.contains(now.variant));
            lane = std::make_unique<OneLane<GymEnv<Task>>>([&](OptionValues<GymEnv<Task>>& options) {
                options["dtype"].text = tenon::to_str("float64");
                options["infos"].integer = 1;
                variants.at(now.variant)(options);
            });
        } else if (line.word == "limit") {
            CHECK(line.numbers() == std::vector{static_cast<double>(lane->env.max_episode_steps)});
        } else if (line.word == "start") {
            const std::vector<double> state = line.numbers();
            const auto positions = static_cast<std::size_t>(lane->env.mujoco->nq);
            REQUIRE(state.size() == positions + static_cast<std::size_t>(lane->env.mujoco->nv));
            lane->env.place(std::span(state).first(positions), std::span(state).subspan(positions));
            lane->env.show(lane->row());
        } else if (line.word == "step") {
            lane->act(static_cast<std::uint64_t>(all.back().steps));
            const tenon::StepResult result = lane->env.step(lane->row());
            const std::vector<double> golden = line.numbers();
            CAPTURE(all.back().variant, all.back().steps);
            REQUIRE(result.reward == golden.at(0));
            REQUIRE(result.terminated == (golden.at(1) != 0));
            REQUIRE(weighted_sum(lane->observation()) == golden.at(2));
            ++all.back().steps;
            all.back().ends += result.terminated ? 1 : 0;
        } else if (line.word == "seen") {
            const std::span<const double> seen = lane->observation();
            CHECK(std::vector(seen.begin(), seen.end()) == line.numbers());
        } else {
            REQUIRE(line.word == "told");
            std::string info;
            line.rest >> info;
            const auto& names = Task::kTask.infos;
            const auto found = std::ranges::find(names, info);
            CAPTURE(info);
            REQUIRE(found != names.end());
            const auto number = static_cast<std::size_t>(found - names.begin());
            CHECK(lane->row().template extra<double>(number)[0] == line.numbers().at(0));
            ++all.back().told;
        }
    });
    return all;
}

const auto kStandard = [](auto&) {};

}  // namespace

TEST_CASE("HalfCheetah-v5 steps as Gymnasium's does") {
    const auto compared = compare<physics::HalfCheetah>(
        "HalfCheetah-v5", {{"standard", kStandard}, {"options", [](auto& options) {
                                                         options["frame_skip"].integer = 3;
                                                         options["forward_reward_weight"].real = 1.5;
                                                         options["ctrl_cost_weight"].real = 0.25;
                                                         options["exclude_current_positions_from_observation"].integer = 0;
                                                     }}});
    REQUIRE(compared.size() == 2);
    for (const Compared& one : compared) {
        CHECK(one.steps == 1000);
        CHECK(one.told == 10 * 4);
    }
}
