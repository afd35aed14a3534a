// SPDX-License-Identifier: Apache-2.0
// How often an interval covers the true value, and what it is drawn from.
#include "shared/compare/bootstrap.hpp"

#include <vector>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "shared/compare/aligned_curve.hpp"
#include "support/catch.hpp"

namespace bootstrap_test {

namespace {

using tenon::estimate;
using tenon::Scores;

}  // namespace

// Percentile intervals of 20 runs are a little too narrow: 92 to 94 % of them cover the mean. 400 of them stray by 1.3
// %.
TEST_CASE("95 % intervals cover the mean about that often") {
    const tn_key key = tenon::make_key(3, "test");
    int covered = 0;
    for (std::uint64_t trial = 0; trial < 400; ++trial) {
        std::vector<double> runs(20);
        tenon::fill_normal(key, trial * 20, runs.data(), 20);
        const auto interval = estimate(Scores{runs}, tenon::mean_of_means, {.draws = 500}).interval;
        covered += interval->low <= 0 && 0 <= interval->high ? 1 : 0;
    }
    CHECK(covered > 400 * 0.88);
    CHECK(covered < 400 * 0.97);
}

TEST_CASE("runs are drawn within their task, and equal calls give equal intervals") {
    const Scores apart{{0, 0, 0}, {10, 10}};
    const auto first = estimate(apart, tenon::mean_of_means);
    CHECK(first.value == 5);
    CHECK(first.interval->low == 5);
    CHECK(first.interval->high == 5);
    const Scores mixed{{1, 2, 3, 4}};
    const auto one = estimate(mixed, tenon::interquartile_mean);
    const auto two = estimate(mixed, tenon::interquartile_mean);
    CHECK(one.interval->low == two.interval->low);
    CHECK(one.interval->low < one.value);
    CHECK(one.interval->high > one.value);
    CHECK_FALSE(estimate(Scores{{1, 2}, {3}}, tenon::mean_of_means).interval.has_value());
}

TEST_CASE("curves are aligned where all runs are, linearly between their points") {
    const std::vector<double> x1{0, 10, 20, 30};
    const std::vector<double> y1{0, 10, 20, 30};
    const std::vector<double> x2{5, 15, 25};
    const std::vector<double> y2{1, 1, 3};
    const tenon::AlignedCurve curve = tenon::align({{0, &x1, &y1}, {0, &x2, &y2}}, 1, tenon::mean_of_means);
    CHECK(curve.x == std::vector<double>{5, 10, 15, 20, 25});
    CHECK(curve.value == std::vector<double>{3, 5.5, 8, 11, 14});
    CHECK(curve.low[0] == 1);
    CHECK(curve.high[0] == 5);
    const tenon::AlignedCurve thin = tenon::align({{0, &x1, &y1}, {0, &x2, &y2}}, 1, tenon::mean_of_means, 3);
    CHECK(thin.x == std::vector<double>{5, 15, 25});
    const std::vector<double> late{40};
    CHECK(tenon::align({{0, &x1, &y1}, {0, &late, &late}}, 1, tenon::mean_of_means).x.empty());
}

}  // namespace bootstrap_test
