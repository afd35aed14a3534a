// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/schedule.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace schedule_test {

using namespace tenon;

namespace {

using Catch::Approx;

Schedule one(const SchedulePiece& piece) {
    return {.index = 0, .pieces = {piece}, .by_updates = false};
}

TEST_CASE("a linear schedule begins, moves and ends exactly") {
    const Schedule epsilon = one({.kind = ScheduleKind::kLinear, .from = 1.0, .to = 0.1, .begin = 0, .end = 1000});
    CHECK(value_at(epsilon, -5) == 1.0);
    CHECK(value_at(epsilon, 0) == 1.0);
    CHECK(value_at(epsilon, 500) == Approx(0.55).epsilon(1e-15));
    CHECK(value_at(epsilon, 999) > 0.1);
    CHECK(value_at(epsilon, 1000) == 0.1);
    CHECK(value_at(epsilon, 1e12) == 0.1);
}

TEST_CASE("a schedule never leaves its ends and never turns") {
    const auto kind = GENERATE(ScheduleKind::kLinear, ScheduleKind::kCosine, ScheduleKind::kExponential);
    const Schedule schedule = one({.kind = kind, .from = 1e-3, .to = 7e-5, .begin = 0, .end = 777});
    double before = 1e-3;
    CHECK(value_at(schedule, 0) == before);
    for (int frames = 1; frames <= 800; ++frames) {
        const double now = value_at(schedule, frames);
        CHECK(now <= before);
        CHECK(now >= 7e-5);
        before = now;
    }
    CHECK(before == 7e-5);
}

TEST_CASE("half a cosine is steepest in the middle") {
    const Schedule cosine = one({.kind = ScheduleKind::kCosine, .from = 2, .to = 0, .begin = 100, .end = 200});
    CHECK(value_at(cosine, 100) == 2);
    CHECK(value_at(cosine, 125) == Approx(1 + std::sqrt(0.5)).epsilon(1e-14));
    CHECK(value_at(cosine, 150) == Approx(1).epsilon(1e-14));
    CHECK(value_at(cosine, 175) == Approx(1 - std::sqrt(0.5)).epsilon(1e-14));
}

TEST_CASE("an exponential schedule loses the same part in the same time") {
    const Schedule schedule = one({.kind = ScheduleKind::kExponential, .from = 8, .to = 1, .begin = 0, .end = 30});
    CHECK(value_at(schedule, 10) == Approx(4).epsilon(1e-14));
    CHECK(value_at(schedule, 20) == Approx(2).epsilon(1e-14));
}

TEST_CASE("steps happen every so often") {
    const Schedule schedule =
        one({.kind = ScheduleKind::kStep, .from = 1, .to = 0.125, .begin = 50, .end = 87, .factor = 0.5, .every = 10});
    CHECK(value_at(schedule, 59) == 1);
    CHECK(value_at(schedule, 60) == 0.5);
    CHECK(value_at(schedule, 79) == 0.25);
    CHECK(value_at(schedule, 80) == 0.125);
    CHECK(value_at(schedule, 1000) == 0.125);
}

TEST_CASE("a schedule over no frames is at its end, a constant one stays") {
    CHECK(value_at(one({.kind = ScheduleKind::kLinear, .from = 1, .to = 2, .begin = 0, .end = 0}), 0) == 2);
    const double for_ever = std::numeric_limits<double>::infinity();
    CHECK(value_at(one({.kind = ScheduleKind::kConstant, .from = 1, .to = 1, .begin = 0, .end = for_ever}), 50) == 1);
}

TEST_CASE("pieces follow one another") {
    const Schedule schedule{.index = 0,
                            .pieces = {{.kind = ScheduleKind::kLinear, .from = 0, .to = 8, .begin = 0, .end = 4},
                                       {.kind = ScheduleKind::kConstant, .from = 8, .to = 8, .begin = 4, .end = 6},
                                       {.kind = ScheduleKind::kLinear, .from = 4, .to = 0, .begin = 6, .end = 10}},
                            .by_updates = false};
    const std::vector<double> expected = {0, 2, 4, 6, 8, 8, 4, 3, 2, 1, 0, 0};
    for (std::size_t time = 0; time < expected.size(); ++time) {
        CAPTURE(time);
        CHECK(value_at(schedule, static_cast<double>(time)) == expected[time]);
    }
}

TEST_CASE("schedules move their own places among the live values") {
    std::vector<double> live = {5, 6, 7};
    const SchedulePiece up{.kind = ScheduleKind::kLinear, .from = 0, .to = 1, .begin = 0, .end = 4};
    const SchedulePiece down{.kind = ScheduleKind::kLinear, .from = 8, .to = 0, .begin = 0, .end = 2};
    const std::vector<Schedule> schedules = {{.index = 2, .pieces = {up}, .by_updates = false},
                                             {.index = 0, .pieces = {down}, .by_updates = true}};
    apply(schedules, 3, 1, live);
    CHECK(live == std::vector<double>{4, 6, 0.75});
}

}  // namespace
}  // namespace schedule_test
