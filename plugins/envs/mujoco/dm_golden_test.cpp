// SPDX-License-Identifier: Apache-2.0
// Compares steps of the tasks of dm_control's suite with dm_control's, from the same state with the same actions. Both
// sides run the same library of MuJoCo, so the states are equal; observations and rewards differ by what the rounding
// of other orders of additions, and of NumPy's own functions, leaves.
#include <cstdlib>
#include <map>
#include <memory>

#include "dm_tasks.hpp"
#include "golden_rollout.hpp"

namespace dm_golden_test {

using namespace tenon::test;

namespace {

const bool packages_are_named = setenv("TENON_PYTHON", TENON_TEST_PYTHON, 0) == 0;

// The permitted difference of numbers of the size of one.
constexpr double kRounding = 1e-13;

struct Player {
    virtual ~Player() = default;
    virtual void take(GoldenLine& line) = 0;
    int steps = 0;
    double largest_reward = 0;
};

template <const physics::DmTask& kTask>
struct TaskPlayer : Player {
    using Env = physics::DmEnv<kTask>;
    OneLane<Env> lane{[](OptionValues<Env>& options) { options["dtype"].text = tenon::to_str("float64"); }};

    void check_near(std::span<const double> ours, const std::vector<double>& golden) {
        REQUIRE(ours.size() == golden.size());
        for (std::size_t i = 0; i < golden.size(); ++i) {
            CAPTURE(i);
            CHECK(std::abs(ours[i] - golden[i]) <= kRounding * std::max(1.0, std::abs(golden[i])));
        }
    }

    void take(GoldenLine& line) override {
        const std::vector<double> golden = line.numbers();
        physics::ExpressionLane& inner = lane.env.lane;
        if (line.word == "limit") {
            CHECK(golden == std::vector{static_cast<double>(lane.env.max_episode_steps)});
        } else if (line.word == "target") {
            std::ranges::copy(golden, inner.input(0).begin());
            lane.env.place_target();
        } else if (line.word == "start") {
            REQUIRE(golden.size() == static_cast<std::size_t>(mj_stateSize(inner.model.get(), mjSTATE_INTEGRATION)));
            mj_setState(inner.model.get(), inner.data.get(), golden.data(), mjSTATE_INTEGRATION);
            physics::forward(*inner.model, *inner.data);
            mj_setState(inner.model.get(), inner.data.get(), golden.data(), mjSTATE_INTEGRATION);  // the warm start too
            inner.begin();
            inner.show(lane.row(), "float64");
        } else if (line.word == "seen") {
            check_near(lane.observation(), golden);
        } else {
            REQUIRE(line.word == "step");
            lane.act(static_cast<std::uint64_t>(steps));
            const tenon::StepResult result = lane.env.step(lane.row());
            CAPTURE(steps);
            CHECK(!result.terminated);
            check_near(std::array{result.reward}, {golden.at(0)});
            const double sum = weighted_sum(lane.observation());
            const double size = std::max(1.0, static_cast<double>(lane.observation().size())) * 100;
            CHECK(std::abs(sum - golden.at(1)) <= kRounding * size);
            ++steps;
            largest_reward = std::max(largest_reward, result.reward);
        }
    }
};

template <const physics::DmTask& kTask>
std::unique_ptr<Player> play() {
    return std::make_unique<TaskPlayer<kTask>>();
}

const std::map<std::string, std::unique_ptr<Player> (*)()> kPlayers = {
    {"acrobot-swingup", play<physics::kAcrobotSwingup>},
    {"acrobot-swingup_sparse", play<physics::kAcrobotSwingupSparse>},
    {"ball_in_cup-catch", play<physics::kBallInCupCatch>},
    {"cartpole-balance", play<physics::kCartpoleBalance>},
    {"cartpole-balance_sparse", play<physics::kCartpoleBalanceSparse>},
    {"cartpole-swingup", play<physics::kCartpoleSwingup>},
    {"cartpole-swingup_sparse", play<physics::kCartpoleSwingupSparse>},
    {"cartpole-two_poles", play<physics::kCartpoleTwoPoles>},
    {"cartpole-three_poles", play<physics::kCartpoleThreePoles>},
    {"cheetah-run", play<physics::kCheetahRun>},
    {"finger-spin", play<physics::kFingerSpin>},
    {"finger-turn_easy", play<physics::kFingerTurnEasy>},
    {"finger-turn_hard", play<physics::kFingerTurnHard>},
    {"fish-upright", play<physics::kFishUpright>},
    {"fish-swim", play<physics::kFishSwim>},
    {"hopper-stand", play<physics::kHopperStand>},
    {"hopper-hop", play<physics::kHopperHop>},
    {"humanoid-stand", play<physics::kHumanoidStand>},
    {"humanoid-walk", play<physics::kHumanoidWalk>},
    {"humanoid-run", play<physics::kHumanoidRun>},
    {"humanoid-run_pure_state", play<physics::kHumanoidRunPureState>},
    {"humanoid_CMU-stand", play<physics::kHumanoidCmuStand>},
    {"humanoid_CMU-walk", play<physics::kHumanoidCmuWalk>},
    {"humanoid_CMU-run", play<physics::kHumanoidCmuRun>},
    {"pendulum-swingup", play<physics::kPendulumSwingup>},
    {"point_mass-easy", play<physics::kPointMassEasy>},
    {"point_mass-hard", play<physics::kPointMassHard>},
    {"reacher-easy", play<physics::kReacherEasy>},
    {"reacher-hard", play<physics::kReacherHard>},
    {"swimmer-swimmer6", play<physics::kSwimmer6>},
    {"swimmer-swimmer15", play<physics::kSwimmer15>},
    {"walker-stand", play<physics::kWalkerStand>},
    {"walker-walk", play<physics::kWalkerWalk>},
    {"walker-run", play<physics::kWalkerRun>}};

}  // namespace

TEST_CASE("the tasks of dm_control's suite step as dm_control's do") {
    need_dm_control();
    std::size_t tasks = 0;
    std::unique_ptr<Player> player;
    std::string name;
    const auto finish = [&] {
        if (player) {
            CAPTURE(name);
            CHECK(player->steps == 250);
            ++tasks;
        }
    };
    for_each_golden_line("dm_control", [&](GoldenLine& line) {
        CAPTURE(name);
        if (line.word == "task") {
            finish();
            line.rest >> name;
            REQUIRE(kPlayers.contains(name));
            player = kPlayers.at(name)();
        } else {
            player->take(line);
        }
    });
    finish();
    CHECK(tasks == kPlayers.size());
}

}  // namespace dm_golden_test
