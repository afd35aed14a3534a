// SPDX-License-Identifier: Apache-2.0
// reward_norm against Gymnasium's NormalizeReward (tests/golden/normalise_reward.txt), and with several lanes.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rewards/reward_norm.hpp"
#include "support/catch.hpp"
#include "support/normalise_reward_golden.hpp"
#include "support/transform_rig.hpp"

namespace reward_norm_test {

using Catch::Matchers::WithinRel;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kNorm = tenon::transform<RewardNorm>("reward_norm", "normalises");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {1})),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward", {}, TN_F64))};
}

void discount(auto& options) {
    options["gamma"].real = 0.9;
}

void step(TransformRig& rig, std::uint32_t slot, std::uint32_t lane, const tenon::test::NormalisedReward& now) {
    rig.inner.at<double>("reward", slot, lane) = now.reward;
    rig.flags(slot, lane, now.terminated, now.truncated);
}

}  // namespace

TEST_CASE("reward_norm equals NormalizeReward") {
    const std::vector<tenon::test::NormalisedReward> steps = tenon::test::normalised_rewards(TENON_SHARED_GOLDEN_DIR);
    TransformRig rig(kNorm, specs(), 61, 1, [](auto& options) { discount(options); });
    CHECK(rig.spec("reward").kind == TN_SPEC_UNBOUNDED);
    rig.reset(0);
    for (std::uint32_t t = 0; t < 60; ++t) {
        CAPTURE(t);
        step(rig, t, 0, steps[t]);
        rig.step(t);
        CHECK_THAT(rig.out<double>("reward", t, 0), WithinRel(steps[t].normalised, 1e-12));
        rig.gather();
        rig.reset(t + 1, {steps[t].terminated || steps[t].truncated});
        rig.gather();  // learns nothing twice
    }
}

TEST_CASE("lanes of reward_norm share what all of them have seen, and go on where they were saved") {
    const std::vector<tenon::test::NormalisedReward> steps = tenon::test::normalised_rewards(TENON_SHARED_GOLDEN_DIR);
    TransformRig whole(kNorm, specs(), 31, 2, [](auto& options) { discount(options); });
    TransformRig resumed(kNorm, specs(), 31, 2, [](auto& options) { discount(options); });
    std::vector<double> sums = {0};  // of the initial variance of 1, whose weight is 1e-4
    double discounted[2] = {};
    for (std::uint32_t t = 0; t < 30; ++t) {
        CAPTURE(t);
        if (t == 20) {
            tenon::test::CommonBytes common;
            tenon::test::StateBytes lanes;
            REQUIRE(common.save(whole.common, whole.instance) == TN_OK);
            REQUIRE(common.load(resumed.common, resumed.instance) == TN_OK);
            REQUIRE(lanes.save(whole.instance, 0, 2) == TN_OK);
            REQUIRE(lanes.load(resumed.instance, 0, 2) == TN_OK);
        }
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            step(whole, t, lane, steps[2 * t + lane]);
            step(resumed, t, lane, steps[2 * t + lane]);
        }
        whole.step(t);
        double news[2];
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            const tenon::test::NormalisedReward& now = steps[2 * t + lane];
            news[lane] = discounted[lane] = discounted[lane] * 0.9 * (now.terminated ? 0 : 1) + now.reward;
            std::vector<double> seen = sums;
            seen.push_back(discounted[lane]);
            double weight = 0;
            double mean = 0;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                weight += i == 0 ? 1e-4 : 1;
                mean += (i == 0 ? 1e-4 : 1) * seen[i];
            }
            mean /= weight;
            double variance = 1e-4;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                variance += (i == 0 ? 1e-4 : 1) * (seen[i] - mean) * (seen[i] - mean);
            }
            CHECK_THAT(whole.out<double>("reward", t, lane),
                       WithinRel(now.reward / std::sqrt(variance / weight + 1e-8), 1e-9));
        }
        sums.insert(sums.end(), {news[0], news[1]});
        whole.gather();
        if (t >= 20) {
            resumed.step(t);
            resumed.gather();
            CHECK((whole.row_bytes(t) == resumed.row_bytes(t)));
        }
    }
}

}  // namespace reward_norm_test
