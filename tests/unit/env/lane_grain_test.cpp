// SPDX-License-Identifier: Apache-2.0
// How many lanes a thread takes at a time.
#include "experience/env/lane_grain.hpp"

#include "support/catch.hpp"

namespace lane_grain_test {

using tenon::kLaneGrain;
using tenon::LaneGrain;

namespace {

LaneGrain after_steps(double seconds, std::uint32_t lanes, unsigned threads) {
    LaneGrain grain;
    CHECK(grain.lanes() == kLaneGrain);
    while (grain.is_learning()) {
        grain.learn(seconds, lanes, threads);
    }
    return grain;
}

}  // namespace

TEST_CASE("a thread takes fewer lanes of a slow env") {
    CHECK(after_steps(64 * 25e-6, 64, 2).lanes() == 1);   // a lane takes longer than a range should
    CHECK(after_steps(64 * 2.5e-6, 64, 2).lanes() == 8);  // 20 us of work
    CHECK(after_steps(64 * 10e-9, 64, 2).lanes() == kLaneGrain);
}

TEST_CASE("lanes that several threads have stepped count as the work of all of them") {
    CHECK(after_steps(64 * 2.5e-6, 128, 2).lanes() == 8);
}

TEST_CASE("the quickest of the first steps counts") {
    LaneGrain grain;
    grain.learn(1, 64, 2);  // it began with a start of all episodes
    while (grain.is_learning()) {
        grain.learn(64 * 2.5e-6, 64, 2);
    }
    CHECK(grain.lanes() == 8);
}

}  // namespace lane_grain_test
