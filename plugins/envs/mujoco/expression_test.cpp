// SPDX-License-Identifier: Apache-2.0
// Expressions on a small model: values worked out by hand, and the sentences of mistakes.
#include <cmath>
#include <fstream>
#include <numbers>

#include "expression_lane.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "tenon/guard.hpp"

namespace expression_test {

using namespace physics;
using Catch::Approx;

namespace {

constexpr const char* kPendulum = R"(<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <site name="goal" pos="1 2 3" size=".25"/>
    <body name="arm">
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom name="rod" type="capsule" size=".05 .5" pos="0 0 -.5"/>
      <site name="tip" pos="0 0 -1"/>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="turn" ctrlrange="-2 3" ctrllimited="true"/></actuator>
  <sensor><jointpos name="angle" joint="turn"/><framepos name="end" objtype="site" objname="tip"/></sensor>
</mujoco>)";

const tenon::test::ScratchFolder& scratch() {
    static const tenon::test::ScratchFolder kFolder;
    return kFolder;
}

Model pendulum() {
    static const Model kModel = [] {
        const std::filesystem::path file = scratch() / "pendulum.xml";
        std::ofstream(file) << kPendulum;
        return load_model({file});
    }();
    return kModel;
}

// The value of an expression where both positions and velocities are known.
std::vector<double> value(const std::string& text) {
    Program program;
    const Slot slot = compile(text, "reward", *pendulum(), 0.05, program);
    const Data data = make_data(*pendulum());
    place(*pendulum(), *data, std::array{0.5, -2.0}, std::array{3.0, 4.0});
    data->time = 7;
    data->ctrl[0] = 1.5;
    std::vector<double> registers = program.registers;
    evaluate(program.instructions, *data, registers);
    evaluate(program.instructions, *data, registers);  // nothing is left over
    return {registers.begin() + slot.at, registers.begin() + slot.at + slot.size};
}

std::string mistake(const std::string& text) {
    try {
        Program program;
        compile(text, "reward", *pendulum(), 0.05, program);
    } catch (const tenon::InvalidArgument& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("expressions compute what they say") {
    const std::vector<std::pair<std::string, std::vector<double>>> cases = {
        {"1 + 2 * 3", {7}},
        {"(1 + 2) * 3 - 4 / 8", {8.5}},
        {"2 ^ 3 ^ 2", {512}},
        {"-2 ^ 2", {-4}},
        {"2 - 3 - 4", {-5}},
        {"1e-1 + .5", {0.6}},
        {"qpos", {0.5, -2}},
        {"qvel[1]", {4}},
        {"qpos[-1]", {-2}},
        {"qvel[0:1]", {3}},
        {"qvel[:]", {3, 4}},
        {"[qpos, 9, qvel[1:]]", {0.5, -2, 9, 4}},
        {"[qpos, 9][1:3]", {-2, 9}},
        {"qpos('slide')", {-2}},
        {"qvel('turn')", {3}},
        {"ctrl('push')", {1.5}},
        {"sensor('angle')", {0.5}},
        {"sum(qvel ^ 2)", {25}},
        {"norm(qvel)", {5}},
        {"mean(qvel)", {3.5}},
        {"prod(qvel)", {12}},
        {"min(qvel) + max(qvel)", {7}},
        {"min(qvel, 3.5)", {3, 3.5}},
        {"dot(qvel, [10, 100])", {430}},
        {"clip(qvel, 3.25, 3.75)", {3.25, 3.75}},
        {"if(qpos > 0, 1, qvel)", {1, 4}},
        {"qpos > 0 and qvel > 0", {1, 0}},
        {"not (qpos[0] > 0 or false)", {0}},
        {"1 < 2 and 2 <= 2 and 2 == 2 and 3 != 2 and 2 >= 2 and 3 > 2", {1}},
        {"all(qvel > 0) + any(qpos < -5)", {1}},
        {"finite(qvel / 0)", {0, 0}},
        {"abs(-3) + sign(-2) + floor(2.9)", {4}},
        {"sin(pi / 2) + cos(0) + tan(0) + exp(0) + log(1) + log1p(0) + tanh(0)", {3}},
        {"acos(2) + asin(0) + atan(0)", {0}},
        {"atan2(1, 1)", {std::numbers::pi / 4}},
        {"sqrt(16)", {4}},
        {"time + dt", {7.05}},
        {"1 / inf", {0}},
        {"contacts", {0}},
        {"site_xpos('goal')", {1, 2, 3}},
        {"site_size('goal')[0] + geom_size('rod')[1]", {0.75}},
        {"xpos('arm')[0]", {-2 * std::cos(0.5)}},  // the slide's axis turns with the arm
        {"tolerance(qvel, 3, 3.5, 0)", {1, 0}},
        {"tolerance(2, 0, 1, 1)", {0.1}},
        {"tolerance(2, 0, 1, 1, 0.4)", {0.4}},
        {"tolerance_linear([-1, 0.5, 2, 9], 0, 1, 2, 0)", {0.5, 1, 0.5, 0}},
        {"tolerance_quadratic(3, 0, 1, 4, 0)", {0.75}},
        {"tolerance_long_tail([2, 3, 5], 0, 1, 2, 0.2)", {0.5, 0.2, 1.0 / 17}},
        {"before(qpos) * 0 + 1", {1, 1}},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        const std::vector<double> found = value(text);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK(found[i] == Approx(expected[i]).margin(1e-12));
        }
    }
}

TEST_CASE("mistakes in an expression are told with their column") {
    const auto check = [](const std::string& text, int column, const std::string& why) {
        CHECK(mistake(text) == "option 'reward', character " + std::to_string(column) + " of \"" + text + "\": " + why);
    };
    check("1 + qvle[0]", 5, "there is no 'qvle'; did you mean 'qvel'?");
    check("nothing_like_it", 1, "there is no 'nothing_like_it'");
    check("norm(arm)", 6, "there is no 'arm'; 'arm' is a body of the model: xpos('arm')");
    check("action[0]", 1, "there is no 'action'; the action is 'ctrl'");
    check("ctrl**2", 6, "no value begins with '*'; powers are written x ^ y");
    check("-1 if true else 0", 4, "what follows is not understood: 'if true else 0'; write if(condition, a, b)");
    check("time > 1 && true", 10, "what follows is not understood: '&& true'; write and");
    check("1 + ", 5, "it ends where a value is expected");
    check("", 1, "it ends where a value is expected");
    check("(1 + 2", 7, "it ends where ')' is expected");
    check("sum(qvel; 2)", 9, "expected ')' before ';'");
    check("1 2", 3, "what follows is not understood: '2'");
    check("qvel + [1, 2, 3]", 6, "a list of 2 and one of 3 do not fit together");
    check("qvel[2]", 6, "there is no such part of a list of 2");
    check("qvel[1:1]", 6, "there is no such part of a list of 2");
    check("qvel[x]", 6, "an index is a whole number, or a range such as 1:3");
    check("1 + $", 5, "no value begins with '$'");
    check("xpos('hand')", 6, "the model has no body 'hand'");
    check("xpos('amr')", 6, "the model has no body 'amr'; did you mean 'arm'?");
    check("xpos(3)", 6, "expected the name of a body in quotes, as in xpos('name')");
    check("sensordata('angle')", 1, "the parts of 'sensordata' have no names; take an index, as in sensordata[0]");
    check("geom_size", 1, "expected the name of a geom, as in geom_size('name')");
    check("act[0]", 1, "the model has no elements of 'act'");
    check("sum(1, 2)", 1, "sum takes 1 value, and has 2");
    check("atan2(1)", 1, "atan2 takes 2 values, and has 1");
    check("clip(1)", 1, "clip takes 3 values, and has 1");
    check("summ(1)", 1, "there is no function 'summ'; did you mean 'sum'?");
    check("dot(qvel, 1)", 1, "dot takes two lists of the same length");
    check("tolerance(1, 2)", 1,
          "tolerance takes a value, its lower and upper bound, the margin and the value there (0.1 if it is left out)");
    check("tolerance(1, qvel, 2, 0)", 1, "the bounds and the margin of tolerance are numbers");
    check("[]", 3, "a list has at least one element");
    CHECK(mistake(std::string(300, '(')).ends_with("it is nested too deeply"));
    CHECK(mistake(std::string(300, '-')).ends_with("it is nested too deeply"));
}

TEST_CASE("before is the value at the end of the step before") {
    ExpressionLane lane = ExpressionLane::make(pendulum(),
                                               {.observation = {"before(qpos)", "qpos"},
                                                .reward = "(qpos[0] - before(qpos[0])) / dt",
                                                .terminated = "qpos[0] > 0.5"},
                                               0.01);
    place(*lane.model, *lane.data, std::array{0.48, 0.0}, std::array{1.0, 0.0});
    lane.begin();
    const std::array action = {0.0F};
    double last = 0.48;
    bool ended = false;
    for (int i = 0; i < 5; ++i) {
        const tenon::StepResult result = lane.step(action, 1);
        CHECK(lane.registers[lane.compiled->observed[0].at] == last);
        const double now = lane.data->qpos[0];
        CHECK(lane.registers[lane.compiled->observed[1].at] == now);
        CHECK(result.reward == (now - last) / 0.01);
        CHECK(result.terminated == (now > 0.5));
        ended = ended || result.terminated;
        last = now;
    }
    CHECK(ended);
}

TEST_CASE("what derives from the state is that of the state after the step") {
    ExpressionLane lane = ExpressionLane::make(
        pendulum(), {.observation = {"sensor('angle') - qpos('turn')"}, .reward = "0", .terminated = "false"}, 0.05);
    place(*lane.model, *lane.data, std::array{0.48, 0.0}, std::array{1.0, 0.0});
    lane.begin();
    for (int i = 0; i < 3; ++i) {
        lane.step(std::array{1.0F}, 5);
        CHECK(lane.registers[lane.compiled->observed[0].at] == 0);
    }
}

TEST_CASE("an error of MuJoCo is an exception, and the next call is not affected") {
    CHECK_THROWS_WITH(guarded([] { mju_error("number %d", 7); }), "MuJoCo: number 7");
    CHECK_THROWS_WITH(guarded([] { mju_error("another"); }), "MuJoCo: another");
    CHECK_NOTHROW(guarded([] {}));
}

TEST_CASE("a model that MuJoCo cannot read is refused with its line") {
    const std::filesystem::path file = scratch() / "wrong.xml";
    std::ofstream(file) << "<mujoco>\n<worldbody>\n<geom typ='box'/></worldbody></mujoco>";
    CHECK_THROWS_WITH(load_model({file}), Catch::Matchers::ContainsSubstring("wrong.xml: XML Error: Schema violation: "
                                                                             "unrecognized attribute: 'typ'") &&
                                              Catch::Matchers::ContainsSubstring("line 3"));
    CHECK_THROWS_WITH(load_model({scratch() / "none.xml"}), Catch::Matchers::ContainsSubstring("none.xml"));
}

TEST_CASE("a simulation that becomes unstable ends its episode") {
    ExpressionLane lane =
        ExpressionLane::make(pendulum(), {.observation = {"qpos"}, .reward = "5", .terminated = "false"}, 0.01);
    place(*lane.model, *lane.data, std::array{0.0, 0.0}, std::array{0.0, 0.0});
    lane.begin();
    CHECK(lane.step(std::array{0.0F}, 1).reward == 5);
    lane.data->qvel[0] = INFINITY;
    const tenon::StepResult result = lane.step(std::array{0.0F}, 1);
    CHECK(result.terminated);
    CHECK(result.reward == 0);
    CHECK(std::isfinite(lane.data->qpos[0]));
}

}  // namespace expression_test
