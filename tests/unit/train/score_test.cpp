// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "train/score.hpp"

using tenon::score_of;

TEST_CASE("a score is the mean and the deviation of returns") {
    const tenon::Score score = score_of({1, 2, 6}, 12);
    CHECK(score.episodes == 3);
    CHECK(score.return_mean == 3);
    CHECK(score.return_std == std::sqrt(14.0 / 3));
    CHECK(score.length_mean == 4);
    for (const std::size_t episodes : {3, 20, 41}) {
        CHECK(score_of(std::vector<double>(episodes, 1.0), 7).return_mean == 1.0);
        CHECK(score_of(std::vector<double>(episodes, 1.0), 7).return_std == 0.0);
    }
}
