// SPDX-License-Identifier: Apache-2.0
#include "early_stop.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace early_stop_test {

using tenon::test::HookRig;

namespace {

constexpr auto kEarlyStop = tenon::hook<EarlyStop>("early_stop", "ends a run");

auto with(std::int64_t patience, double least_change, const char* goal = "max", const char* metric = "eval/mean_reward",
          std::int64_t every = 1) {
    return [=](auto& options) {
        options["patience"].integer = patience;
        options["every"].integer = every;
        options["least_change"].real = least_change;
        options["goal"].text = tenon::to_str(goal);
        options["metric"].text = tenon::to_str(metric);
    };
}

// After how many of these values the run has ended; 0: it has not.
std::size_t ends_after(HookRig& rig, const std::vector<double>& values, std::uint32_t event) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        rig.metrics[0] = values[i];
        ++rig.updates;
        REQUIRE(rig.call(event) == TN_OK);
        if (!rig.stopped.empty()) {
            return i + 1;
        }
    }
    return 0;
}

TEST_CASE("a plateau ends a run after as many looks as its patience") {
    HookRig rig(kEarlyStop, with(3, 0));
    CHECK(ends_after(rig, {1, 2, 2, 1, 3, 3, 2, 3, 9}, TN_HOOK_EVALUATED) == 8);
    CHECK(rig.stopped == "eval/mean_reward has not become better in 3 looks");
    CHECK(rig.reported == std::vector<double>{3, 3});
}

TEST_CASE("better means by more than the least change, and less where the goal is min") {
    HookRig small(kEarlyStop, with(2, 0.5));
    CHECK(ends_after(small, {1, 1.5, 1.4}, TN_HOOK_EVALUATED) == 3);
    HookRig down(kEarlyStop, with(2, 0, "min"));
    CHECK(ends_after(down, {3, 2, 1, 0, 1, 2}, TN_HOOK_EVALUATED) == 6);
}

TEST_CASE("a metric of updates is looked at every so many updates, and one that is not there yet is passed over") {
    HookRig rig(kEarlyStop, with(1, 0, "max", "train/loss", 3));
    CHECK(ends_after(rig, {9, 9, std::nan(""), 0, 0, 5, 9, 9, 5}, TN_HOOK_UPDATED) == 9);
    HookRig other(kEarlyStop, with(1, 0, "max", "train/loss"));
    CHECK(ends_after(other, {1, 1, 1}, TN_HOOK_EVALUATED) == 0);
}

TEST_CASE("a restored hook continues to count") {
    HookRig rig(kEarlyStop, with(3, 0));
    REQUIRE(ends_after(rig, {5, 1, 1}, TN_HOOK_EVALUATED) == 0);
    HookRig other(kEarlyStop, with(3, 0));
    rig.copy_state_to(other);
    CHECK(ends_after(other, {4}, TN_HOOK_EVALUATED) == 1);
}

}  // namespace
}  // namespace early_stop_test
