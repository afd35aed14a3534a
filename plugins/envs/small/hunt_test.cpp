// SPDX-License-Identifier: Apache-2.0
#include "hunt.hpp"

#include "play.hpp"

namespace hunt_test {

using namespace tenon::test;

namespace {

constexpr auto kHunt = tenon::env<Hunt>("Hunt-v0", "predators and prey");
constexpr std::uint32_t kSlots = 101;  // two episodes

std::function<void(OptionValues<Hunt>&)> prey_is(const char* who) {
    return [who](OptionValues<Hunt>& options) { options["prey"].text = tenon::to_str(who); };
}

// Random choices of a group, and an action that is out of range for those who are absent.
void act(EnvRig& rig, std::uint32_t slot, const std::string& group, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t bits = tn_philox({slot, i}, group.size()).word[0];
        const bool acts = rig.columns.at<bool>(group + ".present", slot, 0, i);
        rig.columns.at<std::int64_t>(group + ".action", slot, 0, i) = acts ? tn_below(bits, 5) : 999;
    }
}

void step(EnvRig& rig, std::uint32_t slot, bool both) {
    act(rig, slot, "predators", Hunt::kPredators);
    if (both) {
        act(rig, slot, "prey", Hunt::kPrey);
    }
    REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    INFO(rig.host.error);
    REQUIRE(rig.lane_status[0] == TN_OK);
}

struct Sums {
    double of_predators = 0;  // rewards of those who are present, the mean over them
    double caught = 0;
};

Sums episodes(const char* prey, std::uint32_t count) {
    EnvRig rig(kHunt, 1, 50 * count + 1, prey_is(prey));
    rig.reset({5});
    Sums sums;
    for (std::uint32_t slot = 0; slot < 50 * count; ++slot) {
        step(rig, slot, false);
        double rewards = 0, present = 0;
        for (std::size_t i = 0; i < Hunt::kPredators; ++i) {
            rewards += rig.columns.at<float>("predators.reward", slot, 0, i);
            present += rig.columns.at<bool>("predators.present", slot, 0, i) ? 1 : 0;
        }
        sums.of_predators += present > 0 ? rewards / present / count : 0;
        sums.caught += static_cast<double>(rig.columns.at<float>("reward", slot, 0)) / count;
    }
    return sums;
}

}  // namespace

TEST_CASE("prey that are caught die, are absent and come back; predators rest, and episodes have 50 steps") {
    EnvRig rig(kHunt, 1, kSlots, prey_is("learnt"));
    rig.reset({3});
    const auto is_present = [&](const char* group, std::uint32_t slot, std::size_t i) {
        return rig.columns.at<bool>(std::string(group) + ".present", slot, 0, i);
    };
    int died = 0, returned = 0, rested = 0;
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        step(rig, slot, true);
        const bool last = slot % 50 == 49;
        CHECK(rig.columns.at<bool>("truncated", slot, 0) == last);
        double caught = 0;
        for (std::size_t i = 0; i < Hunt::kPrey; ++i) {
            const bool before = is_present("prey", slot, i), after = is_present("prey", slot + 1, i);
            const bool dies = rig.columns.at<bool>("prey.terminated", slot, 0, i);
            CHECK((!dies || before));
            CHECK((last || (before && !after) == dies));
            const float reward = rig.columns.at<float>("prey.reward", slot, 0, i);
            CHECK(reward == (!before ? 0.0F : dies ? -1.0F : 0.05F));
            caught += dies ? 1 : 0;
            returned += !last && !before && after ? 1 : 0;
        }
        for (std::size_t i = 0; i < Hunt::kPredators; ++i) {
            rested += !is_present("predators", slot, i) ? 1 : 0;
            CHECK_FALSE(rig.columns.at<bool>("predators.terminated", slot, 0, i));
        }
        CHECK(rig.columns.at<float>("reward", slot, 0) == caught);
        died += static_cast<int>(caught);
    }
    CHECK(died > 0);
    CHECK(returned > 0);
    CHECK(rested > 0);
}

TEST_CASE("each agent sees its place, and the others that are present from there") {
    EnvRig rig(kHunt, 1, kSlots, prey_is("learnt"));
    rig.reset({3});
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        step(rig, slot, true);
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        const auto of_state = [&](std::size_t i, std::size_t k) {
            return rig.columns.at<float>("state", slot, 0, 3 * i + k);
        };
        for (std::size_t me = 0; me < Hunt::kAll; ++me) {
            const bool hunts = me < Hunt::kPredators;
            const std::size_t row = (hunts ? me : me - Hunt::kPredators) * static_cast<std::size_t>(Hunt::kSeen);
            const auto seen = [&](std::size_t k) {
                return rig.columns.at<float>(hunts ? "predators.observation" : "prey.observation", slot, 0, row + k);
            };
            REQUIRE(seen(0) == of_state(me, 0));
            REQUIRE(seen(1) == of_state(me, 1));
            for (std::size_t i = 0; i < Hunt::kAll; ++i) {
                const float present = of_state(i, 2);
                REQUIRE(seen(2 + 3 * i) == Catch::Approx(present * (of_state(i, 0) - of_state(me, 0))).margin(1e-6));
                REQUIRE(seen(4 + 3 * i) == present);
            }
        }
    }
}

TEST_CASE("what hunts are worth to predators that choose at random") {
    const Sums scripted = episodes("scripted", 400), random = episodes("random", 400);
    CHECK(scripted.of_predators == Catch::Approx(-2.38).margin(0.15));
    CHECK(random.of_predators > scripted.of_predators + 0.5);
    CHECK(random.caught > 3 * scripted.caught);
}

TEST_CASE("only agents that act have columns, and moves may be continuous") {
    const auto keys = [](const char* prey, const char* moves) {
        const EnvRig rig(kHunt, 1, 2, [&](auto& options) {
            options["prey"].text = tenon::to_str(prey);
            options["moves"].text = tenon::to_str(moves);
        });
        std::string out;
        const tn_env_info info = rig.describe();
        for (std::uint32_t i = 0; i < info.spec_count; ++i) {
            const tenon::Spec spec = tenon::read_spec(*info.specs[i]);
            out += spec.role == TN_ROLE_ACTION ? spec.key + (spec.dtype == TN_F32 ? " float32 " : " int64 ") : "";
        }
        return out;
    };
    CHECK(keys("scripted", "discrete") == "predators.action int64 ");
    CHECK(keys("random", "continuous") == "predators.action float32 ");
    CHECK(keys("learnt", "continuous") == "predators.action float32 prey.action float32 ");
}

TEST_CASE("a hunt that was saved continues equally") {
    EnvRig whole(kHunt, 1, kSlots, prey_is("learnt")), resumed(kHunt, 1, kSlots, prey_is("learnt"));
    whole.reset({1});
    for (std::uint32_t slot = 0; slot < 20; ++slot) {
        step(whole, slot, true);
    }
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    for (std::size_t i = 0; i < Hunt::kPredators; ++i) {
        resumed.columns.at<bool>("predators.present", 20, 0, i) = whole.columns.at<bool>("predators.present", 20, 0, i);
    }
    for (std::size_t i = 0; i < Hunt::kPrey; ++i) {
        resumed.columns.at<bool>("prey.present", 20, 0, i) = whole.columns.at<bool>("prey.present", 20, 0, i);
    }
    for (std::uint32_t slot = 20; slot + 1 < kSlots; ++slot) {
        step(whole, slot, true);
        step(resumed, slot, true);
        REQUIRE(seen(resumed, slot + 1, 0) == seen(whole, slot + 1, 0));
    }
}

}  // namespace hunt_test
