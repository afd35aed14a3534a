// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/lane_speed.hpp"

#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"

namespace lane_speed_test {

namespace {

using namespace tenon;

TEST_CASE("a bench counts the frames of the time it measured") {
    Pool pool(2);
    test::FakeEnv env(100);
    env.breaks_lane = 3;
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 100, pool);
    REQUIRE(lanes);
    const Result<EnvBench> bench = bench_env(*lanes, pool, 0.02, 1);
    REQUIRE(bench);
    CHECK(bench->lanes == 100);
    CHECK(bench->threads == 2);
    CHECK(bench->seconds >= 0.02);
    CHECK(bench->frames > 0);
    CHECK(bench->frames % 99 == 0);
    CHECK(bench->frames_per_s == static_cast<double>(bench->frames) / bench->seconds);
    // All steps but those of the warm-up were counted, and the actions were such as the env wants.
    CHECK(bench->frames / 99 + 32 == env.stepped[0]);
}

TEST_CASE("a bench of an env that fails says so") {
    Pool pool(1);
    test::FakeEnv env(4);
    env.fails_lane = 2;
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 4, pool);
    REQUIRE(lanes);
    CHECK_FALSE(bench_env(*lanes, pool, 0.01, 1));
}

}  // namespace

}  // namespace lane_speed_test
