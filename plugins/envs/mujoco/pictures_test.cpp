// SPDX-License-Identifier: Apache-2.0
// Pictures are compared with those of Gymnasium and dm_control; and what a machine says that cannot draw.
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "ant.hpp"
#include "arms.hpp"
#include "dm_tasks.hpp"
#include "gl_context.hpp"
#include "golden_rollout.hpp"
#include "gym_env.hpp"
#include "half_cheetah.hpp"
#include "hopper.hpp"
#include "humanoid.hpp"
#include "mjcf.hpp"
#include "pendulums.hpp"
#include "support/env_rig.hpp"
#include "support/scratch_folder.hpp"
#include "swimmer.hpp"
#include "tenon/abi/render.h"

namespace pictures_test {

using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const bool packages_are_named = setenv("TENON_PYTHON", TENON_TEST_PYTHON, 0) == 0;

using Pixels = std::vector<std::uint8_t>;

// Another OpenGL than that of the recording rounds colours and edges otherwise; the same one gives the same bytes.
constexpr double kMeanDifference = 3;

// Sets a variable of the environment for a scope.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        const char* const before = std::getenv(name);
        before_ = before == nullptr ? std::nullopt : std::optional<std::string>(before);
        setenv(name, value, 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

void need_pictures() {
    try {
        physics::GlContext::open();
    } catch (const tenon::Unavailable& error) {
        SKIP(error.what());
    }
}

template <class Env>
Pixels picture_of(const Env& env) {
    const tenon::PictureSize size = env.picture();
    Pixels pixels(std::size_t{3} * size.height * size.width);
    tenon::Picture picture(pixels, size.height, size.width);
    env.draw(picture);
    return pixels;
}

using Draw = Pixels (*)(std::span<const double> state);

template <class Env>
void make_small(OptionValues<Env>& options) {
    options["dtype"].text = tenon::to_str("float64");
    options["width"].integer = 32;
    options["height"].integer = 24;
}

template <class Task>
Pixels draw_gymnasium(std::span<const double> state) {
    using Env = physics::GymEnv<Task>;
    OneLane<Env> lane(make_small<Env>);
    const auto positions = static_cast<std::size_t>(lane.env.mujoco->nq);
    lane.env.place(state.first(positions), state.subspan(positions));
    return picture_of(lane.env);
}

template <const physics::DmTask& kTask>
Pixels draw_suite(std::span<const double> state) {
    using Env = physics::DmEnv<kTask>;
    OneLane<Env> lane(make_small<Env>);
    const physics::ExpressionLane& inner = lane.env.lane;
    std::copy_n(state.begin(), inner.model->nq, inner.data->qpos);
    std::copy_n(state.begin() + inner.model->nq, inner.model->nv, inner.data->qvel);
    physics::forward(*inner.model, *inner.data);
    return picture_of(lane.env);
}

const std::map<std::string, Draw> kDrawn = {
    {"mujoco/Ant-v5", draw_gymnasium<physics::Ant>},
    {"mujoco/HalfCheetah-v5", draw_gymnasium<physics::HalfCheetah>},
    {"mujoco/Hopper-v5", draw_gymnasium<physics::Hopper>},
    {"mujoco/Humanoid-v5", draw_gymnasium<physics::Humanoid>},
    {"mujoco/HumanoidStandup-v5", draw_gymnasium<physics::HumanoidStandup>},
    {"mujoco/InvertedDoublePendulum-v5", draw_gymnasium<physics::InvertedDoublePendulum>},
    {"mujoco/InvertedPendulum-v5", draw_gymnasium<physics::InvertedPendulum>},
    {"mujoco/Pusher-v5", draw_gymnasium<physics::Pusher>},
    {"mujoco/Reacher-v5", draw_gymnasium<physics::Reacher>},
    {"mujoco/Swimmer-v5", draw_gymnasium<physics::Swimmer>},
    {"mujoco/Walker2d-v5", draw_gymnasium<physics::Walker2d>},
    {"dm_control/acrobot-swingup", draw_suite<physics::kAcrobotSwingup>},
    {"dm_control/ball_in_cup-catch", draw_suite<physics::kBallInCupCatch>},
    {"dm_control/cartpole-swingup", draw_suite<physics::kCartpoleSwingup>},
    {"dm_control/cheetah-run", draw_suite<physics::kCheetahRun>},
    {"dm_control/hopper-hop", draw_suite<physics::kHopperHop>},
    {"dm_control/humanoid-walk", draw_suite<physics::kHumanoidWalk>},
    {"dm_control/pendulum-swingup", draw_suite<physics::kPendulumSwingup>},
    {"dm_control/walker-walk", draw_suite<physics::kWalkerWalk>}};

double mean_difference(const Pixels& ours, const std::string& digits) {
    REQUIRE(digits.size() == 2 * ours.size());
    double total = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        total += std::abs(ours[i] - std::stoi(digits.substr(2 * i, 2), nullptr, 16));
    }
    return total / static_cast<double>(ours.size());
}

// A box that turns about a hinge, in front of a camera.
constexpr const char* kTurning = R"(
<mujoco>
  <worldbody>
    <light pos="0 -3 3" dir="0 1 -1"/>
    <camera name="front" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
    <camera name="above" pos="0 0 2"/>
    <body><joint name="hinge" axis="0 1 0"/><geom type="box" size=".5 .1 .1"/></body>
  </worldbody>
  <actuator><motor joint="hinge" gear="5"/></actuator>
</mujoco>)";

struct Turning {
    Turning() { spill(file, kTurning); }

    ScratchFolder folder;
    std::string file = (folder / "turning.xml").string();

    [[nodiscard]] auto options(const std::string& camera = "") const {
        return [this, camera](OptionValues<physics::Mjcf>& options) {
            options["model"].text = tenon::to_str(file);
            options["reward"].text = tenon::to_str("0");
            options["frame_skip"].integer = 20;
            options["width"].integer = 40;
            options["height"].integer = 30;
            options["camera"].text = tenon::to_str(camera);
        };
    }
};
constexpr auto kMjcf = tenon::env<physics::Mjcf>("mjcf", "an env");

Pixels draw_lane(const EnvRig& rig, std::uint32_t lane) {
    const auto* const render = rig.instance.api<tn_render_api>("tenon.render/1");
    Pixels pixels(std::size_t{3} * 40 * 30);
    REQUIRE(render->draw(rig.instance.self(), lane, pixels.data()) == TN_OK);
    return pixels;
}

tn_status describe_pictures(const EnvRig& rig) {
    tn_picture_info info{};
    info.struct_size = sizeof info;
    return rig.instance.api<tn_render_api>("tenon.render/1")->describe(rig.instance.self(), &info);
}

// Three lanes after some steps with different actions.
void turn(EnvRig& rig) {
    rig.reset({1, 2, 3});
    for (std::uint32_t slot = 0; slot < 30; ++slot) {
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            rig.columns.at<float>("action", slot, lane) = static_cast<float>(lane);
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    }
}

}  // namespace

TEST_CASE("pictures are those of Gymnasium and dm_control") {
    need_gymnasium();
    need_dm_control();
    need_pictures();
    std::size_t pictures = 0;
    std::string name;
    std::vector<double> state;
    for_each_golden_line("pictures", [&](GoldenLine& line) {
        if (line.word == "picture") {
            line.rest >> name;
        } else if (line.word == "state") {
            state = line.numbers();
        } else {
            std::string digits;
            line.rest >> digits;
            CAPTURE(name);
            REQUIRE(kDrawn.contains(name));
            CHECK(mean_difference(kDrawn.at(name)(state), digits) <= kMeanDifference);
            ++pictures;
        }
    });
    CHECK(pictures == kDrawn.size());
}

TEST_CASE("threads that draw lanes of an instance get each lane's picture") {
    need_pictures();
    const Turning model;
    EnvRig rig(kMjcf, 3, 31, model.options());
    turn(rig);
    REQUIRE(describe_pictures(rig) == TN_OK);
    std::vector<Pixels> alone;
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        alone.push_back(draw_lane(rig, lane));
    }
    CHECK((alone[0] != alone[1]));  // in parentheses: not to be printed
    CHECK((alone[1] != alone[2]));
    std::vector<std::thread> threads;
    std::array<int, 3> wrong{};
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        threads.emplace_back([&, lane] {
            for (int i = 0; i < 20; ++i) {
                wrong[lane] += draw_lane(rig, lane) != alone[lane] ? 1 : 0;
            }
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    CHECK(wrong == std::array{0, 0, 0});
}

TEST_CASE("a lane that was saved and loaded looks as before") {
    need_pictures();
    const Turning model;
    EnvRig whole(kMjcf, 3, 31, model.options());
    EnvRig resumed(kMjcf, 3, 31, model.options());
    turn(whole);
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 3) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 3) == TN_OK);
    REQUIRE(describe_pictures(whole) == TN_OK);
    REQUIRE(describe_pictures(resumed) == TN_OK);
    CHECK((draw_lane(whole, 2) == draw_lane(resumed, 2)));
}

TEST_CASE("a camera is one of the model by name or number, or the free one") {
    need_pictures();
    const Turning model;
    const auto picture_by = [&](const std::string& camera) {
        EnvRig rig(kMjcf, 3, 31, model.options(camera));
        turn(rig);
        REQUIRE(describe_pictures(rig) == TN_OK);
        return draw_lane(rig, 2);
    };
    const Pixels front = picture_by("front");
    CHECK((front == picture_by("")));
    CHECK((front == picture_by("0")));
    CHECK((picture_by("above") == picture_by("1")));
    CHECK((picture_by("above") != front));
    CHECK((picture_by("-1") != front));

    PluginHost host;
    const PluginInstance refused(host, kMjcf, 1, model.options("left"));
    CHECK(refused.status() == TN_INVALID_ARGUMENT);
    CHECK(host.error == "option 'camera': the model has no camera 'left'; it has: front, above");
}

TEST_CASE("an OpenGL that this machine lacks is named when pictures are asked for, and not before") {
    const Turning model;
    const auto said = [&](const char* wanted) {
        const Variable variable("MUJOCO_GL", wanted);
        EnvRig rig(kMjcf, 3, 31, model.options());
        turn(rig);
        CHECK(describe_pictures(rig) == TN_UNAVAILABLE);
        return rig.host.error;
    };
    CHECK(said("glfw") ==
          "MUJOCO_GL is 'glfw', but pictures are drawn by 'egl' or 'osmesa'; set it to one of them, or unset it");
}

}  // namespace pictures_test
