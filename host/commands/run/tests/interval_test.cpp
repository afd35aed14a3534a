// SPDX-License-Identifier: Apache-2.0
// Means and their 95 % intervals, against tables of Student's t.
#include "commands/run/interval.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace interval_test {

TEST_CASE("the half of an interval is the t quantile times the standard error") {
    for (const auto& [count, quantile] : {std::pair{2, 12.7062},
                                          {3, 4.30265},
                                          {5, 2.77645},
                                          {6, 2.57058},
                                          {11, 2.22814},
                                          {12, 2.20099},
                                          {31, 2.04227}}) {
        std::vector<double> values;
        double squares = 0;
        for (int i = 0; i < count; ++i) {
            values.push_back(i);
            squares += (i - (count - 1) / 2.0) * (i - (count - 1) / 2.0);
        }
        const tenon::MeanInterval found = tenon::mean_interval(values);
        const double error = std::sqrt(squares / (count - 1) / count);
        CHECK(found.mean == (count - 1) / 2.0);
        CHECK(std::abs(found.half / error - quantile) < 1e-3);
    }
}

TEST_CASE("one number has no interval, and none has no mean") {
    const std::vector<double> one = {3};
    CHECK(tenon::mean_interval(one).mean == 3);
    CHECK(std::isnan(tenon::mean_interval(one).half));
    CHECK(std::isnan(tenon::mean_interval({}).mean));
}

}  // namespace interval_test
