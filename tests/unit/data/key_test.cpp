// SPDX-License-Identifier: Apache-2.0
#include "base/data/key.hpp"

#include "support/catch.hpp"

namespace key_test {

namespace {

using namespace tenon;

TEST_CASE("keys are dotted paths of plain names") {
    for (const char* const good : {"a", "next.observation", "agents.0.reward", "x_y-z"}) {
        CAPTURE(good);
        CHECK(key_fault(good).empty());
    }
    for (const char* const bad : {"", ".", "a.", ".a", "a..b", "a b", "a/b", "\xc3\xa4"}) {
        CAPTURE(bad);
        CHECK_FALSE(key_fault(bad).empty());
    }
}

TEST_CASE("keys that have a meaning for the host are reserved with all that is below them") {
    for (const char* const reserved : {"done", "next.observation", "mask", "weight", "priority", "steps", "present",
                                       "stored.reward", "batch.x", "group", "goal.x"}) {
        CAPTURE(reserved);
        CHECK(is_reserved(reserved));
    }
    for (const char* const free : {"observation", "action_mask", "agents.present", "goals", "weights", "draw"}) {
        CAPTURE(free);
        CHECK_FALSE(is_reserved(free));
    }
}

TEST_CASE("a branch holds whole parts") {
    CHECK(within("next.done", "next"));
    CHECK(within("next", "next"));
    CHECK_FALSE(within("nextdone", "next"));
    CHECK_FALSE(within("next", "next.done"));
    CHECK(join_keys("next", "done") == "next.done");
    CHECK(next_key("done") == kNextDone);
    CHECK(is_next("next.x"));
    CHECK_FALSE(is_next("next"));
    CHECK(join_keys("", "done") == "done");
}

}  // namespace

}  // namespace key_test
