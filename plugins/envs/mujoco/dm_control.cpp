// SPDX-License-Identifier: Apache-2.0
// Tasks of dm_control's suite, native. The models are those of the Python package, as `tenon list` says of each task.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "dm_tasks.hpp"

namespace {

constexpr std::string_view kModel = " (model: Python package dm_control)";

// A text as an argument of a template.
template <std::size_t kSize>
struct Text {
    char letters[kSize]{};
    consteval Text(const char (&text)[kSize]) { std::ranges::copy(text, letters); }
};

// What `tenon list` says of a task, which has to last as long as the plugin.
template <Text kAbout>
constexpr auto kHelp = [] {
    std::array<char, sizeof kAbout.letters + kModel.size()> out{};
    auto* const end = std::ranges::copy(std::string_view(kAbout.letters), out.data()).out;
    std::ranges::copy(kModel, end);
    return out;
}();

template <const physics::DmTask& kTask, Text kAbout>
consteval auto task(const char* id) {
    return tenon::env<physics::DmEnv<kTask>>(id, kHelp<kAbout>.data());
}

}  // namespace

TENON_PLUGIN("dm_control", "0.1.0",
             task<physics::kAcrobotSwingup, "bring the tip of two links to a target above">("acrobot-swingup"),
             task<physics::kAcrobotSwingupSparse, "the same, rewarded at the target only">("acrobot-swingup_sparse"),
             task<physics::kBallInCupCatch, "catch a ball on a string with a cup">("ball_in_cup-catch"),
             task<physics::kCartpoleBalance, "balance a pole on a cart">("cartpole-balance"),
             task<physics::kCartpoleBalanceSparse, "the same, rewarded upright only">("cartpole-balance_sparse"),
             task<physics::kCartpoleSwingup, "swing a pole up and balance it">("cartpole-swingup"),
             task<physics::kCartpoleSwingupSparse, "the same, rewarded upright only">("cartpole-swingup_sparse"),
             task<physics::kCartpoleTwoPoles, "swing two poles up, one on the other">("cartpole-two_poles"),
             task<physics::kCartpoleThreePoles, "swing three poles up">("cartpole-three_poles"),
             task<physics::kCheetahRun, "run forward on two legs, in a plane">("cheetah-run"),
             task<physics::kFingerSpin, "spin a body with a finger">("finger-spin"),
             task<physics::kFingerTurnEasy, "turn a body to a large target">("finger-turn_easy"),
             task<physics::kFingerTurnHard, "turn a body to a small target">("finger-turn_hard"),
             task<physics::kFishUpright, "keep a fish upright">("fish-upright"),
             task<physics::kFishSwim, "swim to a target">("fish-swim"),
             task<physics::kHopperStand, "stand on one leg, in a plane">("hopper-stand"),
             task<physics::kHopperHop, "hop forward on one leg, in a plane">("hopper-hop"),
             task<physics::kHumanoidStand, "stand on two legs">("humanoid-stand"),
             task<physics::kHumanoidWalk, "walk on two legs">("humanoid-walk"),
             task<physics::kHumanoidRun, "run on two legs">("humanoid-run"),
             task<physics::kHumanoidRunPureState, "the same, observing the state">("humanoid-run_pure_state"),
             task<physics::kHumanoidCmuStand, "stand, with the body of motion capture">("humanoid_CMU-stand"),
             task<physics::kHumanoidCmuWalk, "walk with that body">("humanoid_CMU-walk"),
             task<physics::kHumanoidCmuRun, "run with that body">("humanoid_CMU-run"),
             task<physics::kPendulumSwingup, "swing a pole up with a weak motor">("pendulum-swingup"),
             task<physics::kPointMassEasy, "bring a point to a target">("point_mass-easy"),
             task<physics::kPointMassHard, "the same, with other directions in each episode">("point_mass-hard"),
             task<physics::kReacherEasy, "bring the tip of an arm to a large target">("reacher-easy"),
             task<physics::kReacherHard, "bring the tip of an arm to a small target">("reacher-hard"),
             task<physics::kSwimmer6, "swim to a target with six links, in a plane">("swimmer-swimmer6"),
             task<physics::kSwimmer15, "the same with fifteen links">("swimmer-swimmer15"),
             task<physics::kWalkerStand, "stand on two legs, in a plane">("walker-stand"),
             task<physics::kWalkerWalk, "walk on two legs, in a plane">("walker-walk"),
             task<physics::kWalkerRun, "run on two legs, in a plane">("walker-run"));
