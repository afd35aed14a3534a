// SPDX-License-Identifier: Apache-2.0
// Compares 1,000 steps of every task, and 300 with other options, with Gymnasium's, from the same state with the same
// actions: observations, rewards, terminations and infos are equal to the last bit. Both sides run the same library of
// MuJoCo.
#include <cstdlib>
#include <map>
#include <memory>

#include "ant.hpp"
#include "arms.hpp"
#include "golden_rollout.hpp"
#include "gym_env.hpp"
#include "half_cheetah.hpp"
#include "hopper.hpp"
#include "humanoid.hpp"
#include "pendulums.hpp"
#include "swimmer.hpp"

namespace gym_golden_test {

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
            const auto& extras = lane->spec().extras;
            const auto found = std::ranges::find(extras, "info." + info, &tenon::Spec::key);
            CAPTURE(info);
            REQUIRE(found != extras.end());
            const auto number = static_cast<std::size_t>(found - extras.begin());
            const std::span<const double> ours = lane->row().template extra<double>(number);
            CHECK(std::vector(ours.begin(), ours.end()) == line.numbers());
            ++all.back().told;
        }
    });
    return all;
}

template <class Task>
void check(const std::string& name, std::int64_t infos, std::vector<std::int64_t> ends,
           const Change<Task>& options = nullptr) {
    need_gymnasium();
    std::map<std::string, Change<Task>> variants = {{"standard", [](auto&) {}}};
    if (options) {
        variants["options"] = options;
    }
    const std::vector<Compared> compared = compare<Task>(name, variants);
    REQUIRE(compared.size() == variants.size());
    for (std::size_t i = 0; i < compared.size(); ++i) {
        CHECK(compared[i].steps == (i == 0 ? 1000 : 300));
        CHECK(compared[i].told == compared[i].steps / 100 * infos);
        CHECK(compared[i].ends == ends.at(i));
    }
}

// Two ends of a range, as an option.
template <class Options>
void set_range(Options& options, const char* name, const std::array<double, 2>& range) {
    options[name].reals = range.data();
    options[name].count = 2;
}

}  // namespace

TEST_CASE("Ant-v5 steps as Gymnasium's does") {
    static constexpr std::array kHeights = {0.3, 0.8};
    static constexpr std::array kForces = {-0.5, 0.25};
    check<physics::Ant>("Ant-v5", 9, {20, 106}, [](auto& options) {
        options["frame_skip"].integer = 3;
        options["main_body"].text = tenon::to_str("front_left_leg");
        set_range(options, "healthy_z_range", kHeights);
        set_range(options, "contact_force_range", kForces);
        options["exclude_current_positions_from_observation"].integer = 0;
        options["include_cfrc_ext_in_observation"].integer = 0;
    });
}

TEST_CASE("HalfCheetah-v5 steps as Gymnasium's does") {
    check<physics::HalfCheetah>("HalfCheetah-v5", 4, {0, 0}, [](auto& options) {
        options["frame_skip"].integer = 3;
        options["forward_reward_weight"].real = 1.5;
        options["ctrl_cost_weight"].real = 0.25;
        options["exclude_current_positions_from_observation"].integer = 0;
    });
}

TEST_CASE("Hopper-v5 steps as Gymnasium's does") {
    static constexpr std::array kStates = {-8.0, 8.0};
    static constexpr std::array kHeights = {0.2, 1.2};
    static constexpr std::array kAngles = {-1.0, 1.0};
    check<physics::Hopper>("Hopper-v5", 6, {981, 0}, [](auto& options) {
        set_range(options, "healthy_state_range", kStates);
        set_range(options, "healthy_z_range", kHeights);
        set_range(options, "healthy_angle_range", kAngles);
        options["terminate_when_unhealthy"].integer = 0;
        options["healthy_reward"].real = 2;
    });
}

TEST_CASE("Walker2d-v5 steps as Gymnasium's does") {
    static constexpr std::array kHeights = {0.1, 1.2};
    static constexpr std::array kAngles = {-2.0, 2.0};
    check<physics::Walker2d>("Walker2d-v5", 6, {978, 243}, [](auto& options) {
        set_range(options, "healthy_z_range", kHeights);
        set_range(options, "healthy_angle_range", kAngles);
        options["frame_skip"].integer = 2;
    });
}

TEST_CASE("Humanoid-v5 steps as Gymnasium's does") {
    static constexpr std::array kCosts = {0.5, 4.0};
    check<physics::Humanoid>("Humanoid-v5", 11, {982, 282}, [](auto& options) {
        options["contact_cost_weight"].real = 1e-4;
        set_range(options, "contact_cost_range", kCosts);
        options["include_cinert_in_observation"].integer = 0;
        options["include_cvel_in_observation"].integer = 0;
        options["include_qfrc_actuator_in_observation"].integer = 0;
    });
}

TEST_CASE("HumanoidStandup-v5 steps as Gymnasium's does") {
    static constexpr std::array kCosts = {0.5, 4.0};
    check<physics::HumanoidStandup>("HumanoidStandup-v5", 8, {0, 0}, [](auto& options) {
        options["impact_cost_weight"].real = 1e-4;
        set_range(options, "impact_cost_range", kCosts);
        options["include_cfrc_ext_in_observation"].integer = 0;
    });
}

TEST_CASE("InvertedPendulum-v5 steps as Gymnasium's does") {
    check<physics::InvertedPendulum>("InvertedPendulum-v5", 1, {990});
}

TEST_CASE("InvertedDoublePendulum-v5 steps as Gymnasium's does") {
    check<physics::InvertedDoublePendulum>("InvertedDoublePendulum-v5", 3, {980, 260}, [](auto& options) {
        options["healthy_reward"].real = 3;
        options["frame_skip"].integer = 1;
    });
}

TEST_CASE("Reacher-v5 steps as Gymnasium's does") {
    check<physics::Reacher>("Reacher-v5", 2, {0, 0}, [](auto& options) {
        options["reward_dist_weight"].real = 2.5;
        options["reward_control_weight"].real = 0.3;
    });
}

TEST_CASE("Pusher-v5 steps as Gymnasium's does") {
    check<physics::Pusher>("Pusher-v5", 3, {0, 0}, [](auto& options) {
        options["reward_near_weight"].real = 0.7;
        options["reward_dist_weight"].real = 2;
        options["reward_control_weight"].real = 0.3;
    });
}

TEST_CASE("Swimmer-v5 steps as Gymnasium's does") {
    check<physics::Swimmer>("Swimmer-v5", 7, {0, 0}, [](auto& options) {
        options["ctrl_cost_weight"].real = 0.3;
        options["exclude_current_positions_from_observation"].integer = 0;
    });
}

}  // namespace gym_golden_test
