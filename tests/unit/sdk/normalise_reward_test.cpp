// SPDX-License-Identifier: Apache-2.0
// How a step ended, as transforms that change one column see it. Gymnasium's NormalizeReward needs it: a termination
// ends its discounted sum of rewards, a truncation does not.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/normalise_reward_golden.hpp"
#include "support/transform_rig.hpp"
#include "tenon/transform.hpp"

namespace normalise_reward_test {

using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

struct NormaliseReward {
    double gamma = 0.9;
    double epsilon = 1e-8;

    struct Lane {
        double discounted = 0;
        double mean = 0;
        double variance = 1;
        double count = 1e-4;
    };
    static constexpr std::string_view column = "reward";

    double apply(Lane& lane, double reward, const tenon::TransformRow& row) const {
        lane.discounted = lane.discounted * gamma * (row.terminated() ? 0 : 1) + reward;
        const double delta = lane.discounted - lane.mean;
        const double count = lane.count + 1;
        lane.mean += delta / count;
        lane.variance = (lane.variance * lane.count + delta * delta * lane.count / count) / count;
        lane.count = count;
        return reward / std::sqrt(lane.variance + epsilon);
    }
};

// What an event is, as numbers.
struct Tell {
    static constexpr std::string_view column = "observation";
    static void apply(std::span<const double> /*in*/, std::span<double> out, const tenon::TransformRow& row) {
        out[0] = (row.begins() ? 1 : 0) + (row.terminated() ? 10 : 0) + (row.truncated() ? 100 : 0) +
                 (row.done() ? 1000 : 0);
    }
};

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {1}, TN_F64)),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward", {}, TN_F64))};
}

}  // namespace

TEST_CASE("NormalizeReward can be said element by element") {
    const std::vector<tenon::test::NormalisedReward> steps = tenon::test::normalised_rewards(TENON_GOLDEN_DIR);
    TransformRig rig(tenon::transform<NormaliseReward>("normalise_reward", "Gymnasium's"), specs(), 61, 2);
    rig.reset(0);
    for (std::uint32_t t = 0; t < 60; ++t) {
        CAPTURE(t);
        const tenon::test::NormalisedReward& now = steps[t];
        const tenon::test::NormalisedReward& other = steps[59 - t];  // lanes know nothing of each other
        rig.inner.at<double>("reward", t, 0) = now.reward;
        rig.inner.at<double>("reward", t, 1) = other.reward;
        rig.flags(t, 0, now.terminated, now.truncated);
        rig.flags(t, 1, other.terminated, other.truncated);
        rig.step(t);
        CHECK_THAT(rig.out<double>("reward", t, 0), Catch::Matchers::WithinRel(now.normalised, 1e-14));
        rig.reset(t + 1, {now.terminated || now.truncated, other.terminated || other.truncated});
    }
}

TEST_CASE("apply is told whether an episode begins and how a step ended") {
    TransformRig rig(tenon::transform<Tell>("tell", "events"), specs(), 2, 4);
    rig.reset(0, {1, 1, 1, 0});
    rig.inner.at<double>("observation", 0, 3) = -1;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        CHECK(rig.out<double>("observation", 0, lane) == (lane < 3 ? 1 : -1));
        rig.flags(0, lane, lane == 1 || lane == 3, lane >= 2);
    }
    rig.step(0);
    CHECK(rig.out<double>("observation", 1, 0) == 0);
    CHECK(rig.out<double>("next.observation", 0, 1) == 1010);
    CHECK(rig.out<double>("next.observation", 0, 2) == 1100);
    CHECK(rig.out<double>("next.observation", 0, 3) == 1110);
}

}  // namespace normalise_reward_test
