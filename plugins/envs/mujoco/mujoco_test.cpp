// SPDX-License-Identifier: Apache-2.0
// The envs as a host sees them: resuming, infos, models that are missing, options that cannot be, memory.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "ant.hpp"
#include "dm_tasks.hpp"
#include "find_model.hpp"
#include "golden_rollout.hpp"
#include "gym_env.hpp"
#include "half_cheetah.hpp"
#include "hopper.hpp"
#include "humanoid.hpp"
#include "mjcf.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "support/env_rig.hpp"
#include "support/scratch_folder.hpp"

namespace mujoco_test {

using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;
using physics::GymEnv;

namespace {

const bool packages_are_named = setenv("TENON_PYTHON", TENON_TEST_PYTHON, 0) == 0;

template <class Env>
constexpr auto component() {
    return tenon::env<Env>("env", "an env");
}

// Random actions of a lane at a slot.
void act(EnvRig& rig, std::uint32_t slot, std::uint32_t lanes) {
    const tn_env_info info = rig.describe();
    const tn_spec& action = **std::find_if(info.specs, info.specs + info.spec_count,
                                           [](const tn_spec* spec) { return spec->role == TN_ROLE_ACTION; });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t i = 0; i < action.shape[0]; ++i) {
            const std::uint32_t bits = tn_philox({slot, lane}, static_cast<std::uint64_t>(i)).word[0];
            rig.columns.at<float>("action", slot, lane, static_cast<std::size_t>(i)) =
                static_cast<float>(bits) / 2147483648.0F - 1;
        }
    }
}

// Lanes that were saved in mid-episode continue equally in another instance, over the ends of episodes.
template <class Env>
void check_resumes(const std::function<void(OptionValues<Env>&)>& change = {}) {
    constexpr std::uint32_t kLanes = 3;
    constexpr std::uint32_t kSlots = 90;
    EnvRig whole(component<Env>(), kLanes, kSlots, change);
    EnvRig resumed(component<Env>(), kLanes, kSlots, change);
    whole.reset({1, 2, 3});
    for (std::uint32_t slot = 0; slot < 37; ++slot) {
        act(whole, slot, kLanes);
        REQUIRE(whole.step(slot, slot + 1) == TN_OK);
    }
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, kLanes) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, kLanes) == TN_OK);
    int ends = 0;
    for (std::uint32_t slot = 37; slot + 1 < kSlots; ++slot) {
        act(whole, slot, kLanes);
        act(resumed, slot, kLanes);
        REQUIRE(whole.step(slot, slot + 1) == TN_OK);
        REQUIRE(resumed.step(slot, slot + 1) == TN_OK);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            ends += whole.columns.at<bool>("terminated", slot, lane) || whole.columns.at<bool>("truncated", slot, lane);
        }
        if (slot > 37) {  // the first row of the resumed columns was never written
            REQUIRE(whole.columns.bytes(slot) == resumed.columns.bytes(slot));
        }
    }
    CHECK(ends > 0);
}

const auto kShort = [](auto& options) { options["max_episode_steps"].integer = 30; };

// A slider and a hinge, written where the test wants it.
std::string small_model(const ScratchFolder& folder) {
    const std::filesystem::path file = folder / "small.xml";
    std::ofstream(file) << "<mujoco><worldbody><body><joint name='slide' type='slide' axis='1 0 0'/>"
                           "<geom size='.1'/><body pos='0 0 .5'><joint type='ball'/><geom size='.1' pos='0 0 .3'/>"
                           "</body></body></worldbody><actuator><motor joint='slide'/></actuator>"
                           "<keyframe><key name='far' qpos='5 1 0 0 0'/></keyframe></mujoco>";
    return file.string();
}

}  // namespace

TEST_CASE("lanes resume from saved state as if they had never stopped") {
    need_gymnasium();
    need_dm_control();
    check_resumes<GymEnv<physics::HalfCheetah>>(kShort);
    check_resumes<GymEnv<physics::Ant>>(kShort);
    check_resumes<GymEnv<physics::Humanoid>>();
    check_resumes<physics::DmEnv<physics::kHopperHop>>(kShort);
    check_resumes<physics::DmEnv<physics::kReacherEasy>>(kShort);
    check_resumes<physics::DmEnv<physics::kPointMassHard>>(kShort);
    check_resumes<physics::DmEnv<physics::kSwimmer6>>(kShort);
    const ScratchFolder folder;
    const std::string file = small_model(folder);
    check_resumes<physics::Mjcf>([&](auto& options) {
        options["model"].text = tenon::to_str(file);
        options["reward"].text = tenon::to_str("qpos[0] - before(qpos[0])");
        options["qvel_noise"].real = 1;
        options["max_episode_steps"].integer = 30;
    });
}

TEST_CASE("infos are columns, and those of an episode's last step stay") {
    need_gymnasium();
    constexpr std::uint32_t kSlots = 300;
    EnvRig rig(component<GymEnv<physics::Hopper>>(), 1, kSlots, [](auto& options) { options["infos"].integer = 1; });
    rig.reset({4});
    CHECK(rig.columns.at<float>("info.reward_survive", 0, 0) == 0);
    CHECK(rig.columns.at<float>("info.x_position", 0, 0) != 0);
    bool ended = false;
    for (std::uint32_t slot = 0; slot + 1 < kSlots && !ended; ++slot) {
        act(rig, slot, 1);
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        ended = rig.columns.at<bool>("terminated", slot, 0);
        const float forward = rig.columns.at<float>("info.reward_forward", slot + 1, 0);
        const float control = rig.columns.at<float>("info.reward_ctrl", slot + 1, 0);
        const float survive = rig.columns.at<float>("info.reward_survive", slot + 1, 0);
        CHECK(survive == (ended ? 0 : 1));
        CHECK(rig.columns.at<float>("reward", slot, 0) == Catch::Approx(forward + control + survive).margin(1e-5));
        CHECK(rig.columns.at<float>("info.x_velocity", slot + 1, 0) == forward);
    }
    CHECK(ended);
}

TEST_CASE("options that cannot be are refused") {
    need_gymnasium();
    const auto refused = [](auto env, const auto& change, const std::string& why) {
        PluginHost host;
        const PluginInstance instance(host, component<typename decltype(env)::type>(), 1, change);
        CHECK(instance.status() != TN_OK);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    static constexpr std::array kReversed = {2.0, 1.0};
    refused(
        std::type_identity<GymEnv<physics::Hopper>>(),
        [](auto& options) {
            options["healthy_z_range"].reals = kReversed.data();
            options["healthy_z_range"].count = 2;
        },
        "healthy_z_range has the two ends of a range, the lower one first");
    refused(
        std::type_identity<GymEnv<physics::Hopper>>(), [](auto& options) { options["healthy_z_range"].count = 1; },
        "healthy_z_range has the two ends of a range, the lower one first");
    refused(
        std::type_identity<GymEnv<physics::Ant>>(),
        [](auto& options) { options["main_body"].text = tenon::to_str("wing"); }, "the model has no body 'wing'");
    refused(
        std::type_identity<GymEnv<physics::Ant>>(),
        [](auto& options) { options["model"].text = tenon::to_str("./none.xml"); }, "none.xml");
    const ScratchFolder folder;
    const std::string file = small_model(folder);
    const auto mjcf = [&](const char* name, const char* text, const std::string& why) {
        refused(
            std::type_identity<physics::Mjcf>(),
            [&](auto& options) {
                options["model"].text = tenon::to_str(file);
                options["reward"].text = tenon::to_str("0");
                options[name].text = tenon::to_str(text);
            },
            why);
    };
    mjcf("keyframe", "near", "the model has no keyframe 'near'; it has 1 of them");
    mjcf("reward", "qpos", "option 'reward' is one number, and \"qpos\" is a list of 5");
    mjcf("terminated", "qpos[0] >",
         "option 'terminated', character 10 of \"qpos[0] >\": it ends where a value is expected");
}

TEST_CASE("a model that no package has is told with the folders and what to type") {
    const ScratchFolder folder;
    const auto keep = [](const char* name) {
        return std::string(std::getenv(name) == nullptr ? "" : std::getenv(name));
    };
    const std::string path = keep("PATH");
    const std::string home = keep("HOME");
    const std::string active = keep("VIRTUAL_ENV");
    const std::string ours = keep("TENON_PYTHON");
    setenv("PATH", "/nowhere", 1);
    setenv("HOME", "/nowhere", 1);
    setenv("TENON_PYTHON", "/nowhere", 1);
    setenv("VIRTUAL_ENV", folder.path().c_str(), 1);
    const std::vector<std::filesystem::path> bundled = physics::package_folders();  // at most those of the set-up
    REQUIRE(bundled.size() <= 1);
    const std::string others = bundled.empty() ? "" : bundled.front().string();
    CHECK_THROWS_WITH(physics::find_in_package("gymnasium", "a/ant.xml", "gymnasium>=1.0"),
                      "the model ant.xml of the Python package gymnasium was not found in " +
                          (others.empty() ? "this machine's Python, which has no packages" : others) +
                          "; install it with: pip install 'gymnasium>=1.0', or name a model with the option 'model'");
    CHECK_THROWS_AS(physics::find_in_package("gymnasium", "a/ant.xml", "gymnasium>=1.0"), tenon::InvalidArgument);
    const std::filesystem::path packages = folder / "lib/python3.11/site-packages";
    std::filesystem::create_directories(packages / "gymnasium" / "a");
    CHECK_THROWS_WITH(physics::find_in_package("gymnasium", "a/ant.xml", "gymnasium>=1.0"),
                      ContainsSubstring("was not found in " + packages.string() + (others.empty() ? "" : ", ") +
                                        others + "; install"));
    std::ofstream(packages / "gymnasium" / "a" / "ant.xml") << "<mujoco/>";
    CHECK(physics::find_in_package("gymnasium", "a/ant.xml", "") == packages / "gymnasium/a/ant.xml");
    setenv("PATH", path.c_str(), 1);
    setenv("HOME", home.c_str(), 1);
    setenv("TENON_PYTHON", ours.c_str(), 1);
    active.empty() ? unsetenv("VIRTUAL_ENV") : setenv("VIRTUAL_ENV", active.c_str(), 1);
}

TEST_CASE("episodes of an MJCF file begin at the keyframe, within the noise") {
    const ScratchFolder folder;
    const std::string file = small_model(folder);
    constexpr std::uint32_t kLanes = 200;
    EnvRig rig(component<physics::Mjcf>(), kLanes, 1, [&](auto& options) {
        options["model"].text = tenon::to_str(file);
        options["reward"].text = tenon::to_str("0");
        options["keyframe"].text = tenon::to_str("far");
        options["qpos_noise"].real = 0.5;
        options["qvel_noise"].real = 2;
    });
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < kLanes; ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    std::array<double, 2> most = {};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto at = [&](std::size_t i) { return double{rig.columns.at<float>("observation", 0, lane, i)}; };
        most[0] = std::max(most[0], std::abs(at(0) - 5));
        most[1] = std::max(most[1], std::abs(at(5)));
        CHECK(at(1) * at(1) + at(2) * at(2) + at(3) * at(3) + at(4) * at(4) == Catch::Approx(1));
        CHECK(at(1) > 0.85);  // cos(sqrt(3) / 4) is 0.907
    }
    CHECK(most[0] <= 0.5);
    CHECK(most[0] > 0.45);
    CHECK(most[1] <= 2);
    CHECK(most[1] > 1.8);
}

TEST_CASE("steps and the ends of episodes allocate nothing once warm") {
    need_gymnasium();
    need_dm_control();
    const auto check = [](auto env) {
        EnvRig rig(component<typename decltype(env)::type>(), 2, 2, kShort);
        rig.reset({1, 2});
        act(rig, 0, 2);
        const auto run = [&](int steps) {
            for (int i = 0; i < steps; ++i) {
                rig.step(0, 0);
            }
        };
        run(100);
        const std::uint64_t before = all_allocations();
        run(100);
        CHECK(all_allocations() == before);
    };
    check(std::type_identity<GymEnv<physics::HalfCheetah>>());
    check(std::type_identity<GymEnv<physics::Humanoid>>());
    check(std::type_identity<physics::DmEnv<physics::kWalkerRun>>());
}

}  // namespace mujoco_test
