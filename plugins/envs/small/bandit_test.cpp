// SPDX-License-Identifier: Apache-2.0
#include "bandit.hpp"

#include <cmath>

#include "play.hpp"

namespace bandit_test {

using namespace tenon::test;

namespace {

constexpr auto kBandit = tenon::env<Bandit>("Bandit-v0", "arms with random rewards");
constexpr std::uint32_t kPulls = 4000;

// All rewards of an arm.
std::vector<double> pull(EnvRig& rig, std::int64_t arm) {
    std::vector<double> rewards;
    for (std::uint32_t slot = 0; slot < kPulls; ++slot) {
        rewards.push_back(play(rig, slot, arm).reward);
    }
    return rewards;
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value / static_cast<double>(values.size());
    }
    return sum;
}

}  // namespace

TEST_CASE("a bandit's arms pay 1 with their chances") {
    const std::array<double, 3> chances = {0.1, 0.5, 0.9};
    for (std::size_t arm = 0; arm < 3; ++arm) {
        EnvRig rig(kBandit, 1, kPulls + 1);
        rig.reset({7});
        const std::vector<double> rewards = pull(rig, static_cast<std::int64_t>(arm));
        CHECK(std::ranges::all_of(rewards, [](double reward) { return reward == 0 || reward == 1; }));
        const double deviation = std::sqrt(chances.at(arm) * (1 - chances.at(arm)) / kPulls);
        CHECK(std::abs(mean_of(rewards) - chances.at(arm)) < 4 * deviation);
    }
}

TEST_CASE("a bandit's arms pay the lane's normal numbers around their means") {
    std::array<double, 2> means = {-20, 3};
    for (std::size_t arm = 0; arm < 2; ++arm) {
        EnvRig rig(kBandit, 1, kPulls + 1, [&](OptionValues<Bandit>& options) {
            options["means"].reals = means.data();
            options["means"].count = means.size();
            options["pays"].text = tenon::to_str("normal");
            options["deviation"].real = 0.5;
        });
        CHECK(rig.describe().specs[1]->categories[0] == 2);
        rig.reset({7});
        tenon::Rng rng(rig.host.table(), {7, 0});
        for (const double reward : pull(rig, static_cast<std::int64_t>(arm))) {
            CHECK(reward == static_cast<float>(means.at(arm) + 0.5 * rng.normal()));
        }
    }
}

TEST_CASE("a bandit's episode terminates after its pulls") {
    EnvRig rig(kBandit, 1, 8, [](OptionValues<Bandit>& options) { options["pulls"].integer = 3; });
    rig.reset({1});
    for (std::uint32_t slot = 0; slot < 7; ++slot) {
        const Told told = play(rig, slot, 0);
        CHECK(told.terminated == (slot % 3 == 2));
        CHECK(!told.truncated);
        CHECK(rig.columns.at<float>("observation", slot + 1, 0) == 0);
    }
}

TEST_CASE("a bandit resumes from saved state") {
    check_resumes(kBandit, 3, false, [](OptionValues<Bandit>& options) { options["pulls"].integer = 5; });
}

TEST_CASE("a bandit's options have to go together") {
    CHECK(refusal(kBandit, [](OptionValues<Bandit>& options) { options["means"].count = 0; }) ==
          "means is empty, but a bandit needs at least one arm");
    std::array<double, 2> means = {0.5, 1.5};
    const auto outside = [&](OptionValues<Bandit>& options) {
        options["means"].reals = means.data();
        options["means"].count = means.size();
    };
    CHECK(refusal(kBandit, outside) == "means of bernoulli rewards must be in [0,1]; or set pays = \"normal\"");
}

}  // namespace bandit_test
