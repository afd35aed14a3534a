// SPDX-License-Identifier: Apache-2.0
#include "learn/schedule.hpp"

#include <vector>

#include "support/catch.hpp"

namespace tenon {
namespace {

TEST_CASE("a linear schedule begins, moves and ends exactly") {
    const Schedule epsilon{.index = 0, .linear = true, .from = 1.0, .to = 0.1, .length = 1000};
    CHECK(value_at(epsilon, -5) == 1.0);
    CHECK(value_at(epsilon, 0) == 1.0);
    CHECK(value_at(epsilon, 500) == Catch::Approx(0.55).epsilon(1e-15));
    CHECK(value_at(epsilon, 999) > 0.1);
    CHECK(value_at(epsilon, 1000) == 0.1);
    CHECK(value_at(epsilon, 1e12) == 0.1);
}

TEST_CASE("a linear schedule never leaves its ends and never turns") {
    const Schedule schedule{.index = 0, .linear = true, .from = 1e-3, .to = 7e-5, .length = 777};
    double before = schedule.from;
    for (int frames = 1; frames <= 800; ++frames) {
        const double now = value_at(schedule, frames);
        CHECK(now <= before);
        CHECK(now >= schedule.to);
        before = now;
    }
}

TEST_CASE("a schedule over no frames is at its end, a constant one stays") {
    CHECK(value_at({.index = 0, .linear = true, .from = 1, .to = 2, .length = 0}, 0) == 2);
    CHECK(value_at({.index = 0, .linear = false, .from = 1, .to = 2, .length = 10}, 50) == 1);
}

TEST_CASE("schedules move their own places among the live values") {
    std::vector<double> live = {5, 6, 7};
    const std::vector<Schedule> schedules = {
        {.index = 2, .linear = true, .from = 0, .to = 1, .length = 4},
        {.index = 0, .linear = true, .from = 8, .to = 0, .length = 2, .by_updates = true}};
    apply(schedules, 3, 1, live);
    CHECK(live == std::vector<double>{4, 6, 0.75});
}

}  // namespace
}  // namespace tenon
