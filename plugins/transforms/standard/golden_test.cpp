// SPDX-License-Identifier: Apache-2.0
// Compares the transforms with TorchRL's on a script of 30 steps and a few episodes (golden/transforms.txt), in
// float64. Unless stated otherwise, results are equal to the last bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "actions/action_scale.hpp"
#include "episodes/step_counter.hpp"
#include "episodes/time_limit.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_norm.hpp"
#include "observations/observation_scale.hpp"
#include "observations/time_max_pool.hpp"
#include "rewards/reward_clip.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sum.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace golden_test {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

using Row = std::vector<double>;
template <class Transform>
using Change = std::function<void(tenon::test::OptionValues<typename Transform::Author>&)>;

std::map<std::string, std::vector<Row>> golden() {
    std::map<std::string, std::vector<Row>> out;
    std::ifstream file(TENON_GOLDEN_DIR "/transforms.txt");
    REQUIRE(file.is_open());
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string name;
        in >> name;
        if (name != "#") {
            Row& row = out[name].emplace_back();
            for (double x = 0; in >> x;) {
                row.push_back(x);
            }
        }
    }
    REQUIRE(out["script"].size() == 30);
    return out;
}

std::vector<tenon::Spec> specs(const tenon::Shape& shape = {3}) {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", shape, TN_F64)),
            with_role(TN_ROLE_ACTION, tenon::bounded("action", {2}, {-2, 0}, {2, 10})),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward", {}, TN_F64))};
}

// Plays the script through a transform; calls `see` after each step, and `after` when the reset that follows an
// episode's last step is done.
template <class Transform, class See, class After>
void play(const Transform& component, const Change<Transform>& change, See see, After after_reset,
          const tenon::Shape& shape = {3}) {
    const std::vector<Row> script = golden()["script"];
    const auto steps = static_cast<std::uint32_t>(script.size());
    TransformRig rig(component, specs(shape), steps + 1, 1, change);
    const auto put = [&](const std::string& key, std::uint32_t slot, const Row& from, std::size_t at) {
        for (std::size_t i = 0; i < 3; ++i) {
            rig.inner.at<double>(key, slot, 0, i) = from[at + i];
        }
    };
    const auto gather = [&] {
        if (rig.common != nullptr) {
            rig.gather();
        }
    };
    put("observation", 0, script[0], 2);
    rig.reset(0);
    gather();
    for (std::uint32_t t = 0; t < steps; ++t) {
        const bool done = script[t][1] != 0;
        rig.inner.at<double>("reward", t, 0) = script[t][0];
        rig.flags(t, 0, done);
        put(done ? "next.observation" : "observation", done ? t : t + 1, script[t], 5);
        rig.step(t);
        see(rig, t, done);
        if (done && t + 1 < steps) {
            put("observation", t + 1, script[t + 1], 2);
            rig.reset(t + 1);
            after_reset(rig, t);
        }
        gather();
    }
}

// Compares a column with lines whose first half is its value at the step and whose second half the one after it.
template <class E, class Transform>
void expect_both(const Transform& component, const std::string& name, const std::string& key, double tolerance = 0,
                 const Change<Transform>& change = {}, const tenon::Shape& shape = {3}) {
    const std::vector<Row> lines = golden()[name];
    const auto nothing = [](TransformRig&, std::uint32_t) {};
    play(
        component, change,
        [&](TransformRig& rig, std::uint32_t t, bool done) {
            const std::size_t size = lines[t].size() / 2;
            CAPTURE(name, t);
            for (std::size_t i = 0; i < size; ++i) {
                const auto now = static_cast<double>(rig.out<E>(key, t, 0, i));
                const auto next = static_cast<double>(rig.out<E>(done ? "next." + key : key, done ? t : t + 1, 0, i));
                CHECK_THAT(now, WithinRel(lines[t][i], tolerance));
                CHECK_THAT(next, WithinRel(lines[t][size + i], tolerance));
            }
        },
        nothing, shape);
}

template <class Transform>
void expect_reward(const Transform& component, const std::string& name, const Change<Transform>& change) {
    const std::vector<Row> lines = golden()[name];
    const auto nothing = [](TransformRig&, std::uint32_t) {};
    play(
        component, change,
        [&](TransformRig& rig, std::uint32_t t, bool) { CHECK(rig.out<double>("reward", t, 0) == lines[t][0]); },
        nothing);
}

constexpr auto kNorm = tenon::transform<ObservationNorm>("observation_norm", "normalises");

// Compares rows with a line that has those after the step and, where an episode ends, of the next one's start.
void expect_norm(const std::string& name, const Change<std::remove_const_t<decltype(kNorm)>>& change) {
    const std::vector<Row> lines = golden()[name];
    const auto expect = [&](TransformRig& rig, const std::string& key, std::uint32_t slot, const Row& line,
                            std::size_t at) {
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_THAT(rig.out<double>(key, slot, 0, i), WithinRel(std::clamp(line[at + i], -10.0, 10.0), 1e-9));
        }
    };
    play(
        kNorm, change,
        [&](TransformRig& rig, std::uint32_t t, bool done) {
            CAPTURE(t);
            expect(rig, done ? "next.observation" : "observation", done ? t : t + 1, lines[t], 0);
        },
        [&](TransformRig& rig, std::uint32_t t) { expect(rig, "observation", t + 1, lines[t], 3); });
}

}  // namespace

TEST_CASE("step_counter equals StepCounter") {
    expect_both<std::int64_t>(tenon::transform<StepCounter>("step_counter", "counts"), "step_counter", "step_count");
}

TEST_CASE("reward_sum equals RewardSum, as a float32") {
    expect_both<float>(tenon::transform<RewardSum>("reward_sum", "sums"), "reward_sum", "episode_reward", 1.2e-7);
}

TEST_CASE("frame_stack equals CatFrames with both paddings") {
    constexpr auto kStack = tenon::transform<FrameStack>("frame_stack", "stacks");
    expect_both<double>(kStack, "stack_same", "observation");
    expect_both<double>(kStack, "stack_constant", "observation", 0,
                        [](auto& options) { options["padding"].text = tenon::to_str("constant"); });
}

TEST_CASE("frame_stack along the last dimension equals CatFrames") {
    expect_both<double>(tenon::transform<FrameStack>("frame_stack", "stacks"), "stack_last", "observation", 0,
                        [](auto& options) { options["dim"].integer = -1; }, {3, 1});
}

TEST_CASE("time_max_pool with zeros before an episode equals TimeMaxPool") {
    expect_both<double>(tenon::transform<TimeMaxPool>("time_max_pool", "pools"), "max_pool", "observation", 0,
                        [](auto& options) {
                            options["frames"].integer = 3;
                            options["padding"].text = tenon::to_str("constant");
                        });
}

TEST_CASE("observation_scale equals ObservationNorm") {
    const std::vector<double> offset = {1, -2, 0.5};
    const std::vector<double> scale = {2, 0.25, 3};
    expect_both<double>(tenon::transform<ObservationScale>("observation_scale", "scales"), "scale", "observation", 0,
                        [&](auto& options) {
                            options["offset"].reals = offset.data();
                            options["scale"].reals = scale.data();
                            options["offset"].count = options["scale"].count = 3;
                        });
}

TEST_CASE("reward_scale and reward_clip equal RewardScaling and RewardClipping") {
    expect_reward(tenon::transform<RewardScale>("reward_scale", "scales"), "reward_scale", [](auto& options) {
        options["factor"].real = 0.25;
        options["offset"].real = 0.5;
    });
    expect_reward(tenon::transform<RewardClip>("reward_clip", "clips"), "reward_clip", [](auto& options) {
        options["low"].real = -1.5;
        options["high"].real = 0.75;
    });
}

TEST_CASE("action_scale equals ActionScaling") {
    TransformRig rig(tenon::transform<ActionScale>("action_scale", "scales"), specs(), 1, 1);
    const std::vector<Row> lines = golden()["action_scale"];
    REQUIRE(lines.size() == 4);
    for (const Row& line : lines) {
        for (std::size_t i = 0; i < 2; ++i) {
            rig.out<float>("action", 0, 0, i) = static_cast<float>(line[i]);
        }
        rig.invert(0);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK_THAT(double{rig.inner.at<float>("action", 0, 0, i)}, WithinAbs(line[2 + i], 1e-6));
        }
    }
}

TEST_CASE("time_limit truncates when StepCounter does") {
    const std::vector<Row> lines = golden()["time_limit"];
    TransformRig rig(tenon::transform<TimeLimit>("time_limit", "ends"), specs(), 31, 1,
                     [](auto& options) { options["max_steps"].integer = 6; });
    const std::vector<Row> script = golden()["script"];
    rig.reset(0);
    int cuts = 0;
    for (std::uint32_t t = 0; t < 30; ++t) {
        rig.flags(t, 0, script[t][1] != 0);
        rig.step(t);
        const bool truncated = rig.inner.at<bool>("truncated", t, 0);
        CAPTURE(t);
        CHECK(truncated == (lines[t][0] != 0));
        cuts += truncated ? 1 : 0;
        if (truncated || script[t][1] != 0) {
            rig.reset(t + 1);
        }
    }
    CHECK(cuts == 3);
}

// Ours adds squared deviations, VecNormV2 squares: they differ by at most 1e-9 here.
TEST_CASE("observation_norm has VecNormV2's statistics of the steps before") {
    expect_norm("norm", {});
    expect_norm("norm_decay", [](auto& options) { options["decay"].real = 0.9; });
}

// torch divides squared deviations of n rows by n - 1, observation_norm by n.
TEST_CASE("observation_norm after a warm-up equals ObservationNorm's init_stats") {
    const std::vector<Row> lines = golden()["warm_up"];
    const std::vector<Row> script = golden()["script"];
    play(
        kNorm, [](auto& options) { options["warm_up"].integer = options["freeze_after"].integer = 3; },
        [&](TransformRig& rig, std::uint32_t t, bool done) {
            CAPTURE(t);
            for (std::size_t i = 0; i < 3; ++i) {
                const double expected = t < 2 ? script[t][5 + i] : lines[t][3 + i] * std::sqrt(1.5);
                const double have = rig.out<double>(done ? "next.observation" : "observation", done ? t : t + 1, 0, i);
                CHECK_THAT(have, WithinRel(std::clamp(expected, -10.0, 10.0), 1e-9));
            }
        },
        [](TransformRig&, std::uint32_t) {});
}

}  // namespace golden_test
