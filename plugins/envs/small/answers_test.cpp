// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

#include <map>

#include "play.hpp"

namespace answers_test {

using namespace tenon::test;

namespace {

constexpr auto kSort = tenon::env<Sort>("Sort-v0", "in order");
constexpr auto kReverse = tenon::env<Reverse>("Reverse-v0", "backwards");

const auto kAlone = [](auto& options) { options["answers"].integer = 0; };

using Digits = std::vector<std::int64_t>;

Digits row_of(EnvRig& rig, const std::string& key, std::uint32_t slot, std::size_t count, std::uint32_t lane = 0) {
    Digits out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(rig.columns.at<std::int64_t>(key, slot, lane, i));
    }
    return out;
}

double share(const Digits& answer, const Digits& target) {
    double hits = 0;
    for (std::size_t i = 0; i < target.size(); ++i) {
        hits += answer[i] == target[i] ? 1 : 0;
    }
    return hits / static_cast<double>(target.size());
}

void step(EnvRig& rig, std::uint32_t slot) {
    REQUIRE(rig.step(slot, slot + 1, 0, 1) == TN_OK);
    INFO(rig.host.error);
    REQUIRE(rig.lane_status[0] == TN_OK);
}

}  // namespace

TEST_CASE("the target of a prompt is its digits in order, or backwards") {
    EnvRig sort(kSort, 1, 2, kAlone), reverse(kReverse, 1, 2, kAlone);
    sort.reset({5});
    reverse.reset({5});
    Digits prompt = row_of(sort, "prompt", 0, 6);
    CHECK(row_of(reverse, "prompt", 0, 6) == prompt);
    std::ranges::reverse(prompt);
    CHECK(row_of(reverse, "target", 0, 6) == prompt);
    std::ranges::sort(prompt);
    CHECK(row_of(sort, "target", 0, 6) == prompt);
}

TEST_CASE("the reward of an answer is the share of its right places") {
    EnvRig rig(kSort, 1, 8, kAlone);
    rig.reset({3});
    for (std::uint32_t slot = 0; slot < 7; ++slot) {
        const Digits target = row_of(rig, "target", slot, 6);
        for (std::size_t i = 0; i < 6; ++i) {
            const bool wrong = i < slot;
            rig.columns.at<std::int64_t>("action", slot, 0, i) = wrong ? (target[i] + 1) % 10 : target[i];
        }
        step(rig, slot);
        CHECK(rig.columns.at<float>("reward", slot, 0) == static_cast<float>((6.0 - slot) / 6));
        CHECK(rig.columns.at<bool>("terminated", slot, 0));
    }
}

TEST_CASE("each answer of a group has its own reward, whose mean is that of the lane") {
    EnvRig rig(kSort, 1, 2, [](OptionValues<Sort>& options) {
        options["answers"].integer = 2;
        options["length"].integer = 4;
    });
    rig.reset({3});
    const Digits target = row_of(rig, "target", 0, 4);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::int64_t digit = target[i % 4];
        rig.columns.at<std::int64_t>("answers.action", 0, 0, i) = i == 5 ? (digit + 1) % 10 : digit;
    }
    step(rig, 0);
    CHECK(rig.columns.at<float>("answers.reward", 0, 0, 0) == 1.0F);
    CHECK(rig.columns.at<float>("answers.reward", 0, 0, 1) == 0.75F);
    CHECK(rig.columns.at<float>("reward", 0, 0) == 0.875F);
}

TEST_CASE("of a pair of answers the chosen one has more right places") {
    constexpr std::uint32_t kPrompts = 60;
    EnvRig rig(kSort, 1, kPrompts + 1, kAlone);
    rig.reset({11});
    std::map<double, int> shares;
    for (std::uint32_t slot = 0; slot < kPrompts; ++slot) {
        const Digits target = row_of(rig, "target", slot, 6);
        const double chosen = share(row_of(rig, "chosen", slot, 6), target);
        CHECK(chosen > share(row_of(rig, "rejected", slot, 6), target));
        ++shares[chosen];
        for (std::size_t i = 0; i < 6; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = 0;
        }
        step(rig, slot);
    }
    CHECK(shares.size() > 3);
}

TEST_CASE("shorter prompts are the last digits of their column, and as many digits of an answer count") {
    constexpr std::uint32_t kPrompts = 40;
    EnvRig rig(kSort, 1, kPrompts + 1, [](OptionValues<Sort>& options) {
        options["answers"].integer = 0;
        options["shortest"].integer = 3;
    });
    rig.reset({17});
    std::map<std::int64_t, int> lengths;
    for (std::uint32_t slot = 0; slot < kPrompts; ++slot) {
        const std::int64_t digits = rig.columns.at<std::int64_t>("prompt_length", slot, 0);
        ++lengths[digits];
        CHECK(rig.columns.at<std::int64_t>("target_length", slot, 0) == digits);
        const auto padding = static_cast<std::ptrdiff_t>(6 - digits);
        Digits prompt = row_of(rig, "prompt", slot, 6);
        CHECK(std::ranges::count(prompt.begin(), prompt.begin() + padding, 0) == padding);
        prompt.erase(prompt.begin(), prompt.begin() + padding);
        std::ranges::sort(prompt);
        Digits target = row_of(rig, "target", slot, 6);
        target.resize(prompt.size());
        CHECK(target == prompt);
        for (std::size_t i = 0; i < 6; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = i < target.size() ? target[i] : 7;
        }
        step(rig, slot);
        CHECK(rig.columns.at<float>("reward", slot, 0) == 1.0F);
    }
    CHECK(lengths.size() == 4);
    CHECK(lengths.begin()->first == 3);
}

TEST_CASE("prompts resume from saved state") {
    EnvRig whole(kSort, 1, 8, kAlone), resumed(kSort, 1, 8, kAlone);
    const auto play_one = [](EnvRig& rig, std::uint32_t slot) {
        for (std::size_t i = 0; i < 6; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = 4;
        }
        step(rig, slot);
    };
    whole.reset({9});
    play_one(whole, 0);
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    for (std::uint32_t slot = 1; slot < 6; ++slot) {
        play_one(whole, slot);
        play_one(resumed, slot);
        CHECK(whole.columns.at<float>("reward", slot, 0) == resumed.columns.at<float>("reward", slot, 0));
        CHECK(row_of(whole, "prompt", slot + 1, 6) == row_of(resumed, "prompt", slot + 1, 6));
    }
}

}  // namespace answers_test
