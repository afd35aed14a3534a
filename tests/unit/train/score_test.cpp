// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "train/collect/score.hpp"

namespace score_test {

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

TEST_CASE("of each lane as many episodes count as it is to play, and then the score is complete") {
    tenon::ScoreSheet sheet;
    sheet.begin({2, 0, 1});
    const std::vector<tenon::EndedEpisode> first = {{0, {10, 4}}, {1, {99, 9}}, {2, {30, 6}}};
    sheet.add(first);
    CHECK(!sheet.complete());
    const std::vector<tenon::EndedEpisode> second = {{0, {20, 8}, true}, {2, {77, 7}, true}};
    sheet.add(second);
    CHECK(sheet.complete());
    CHECK(sheet.score().episodes == 3);
    CHECK(sheet.score().return_mean == 20);
    CHECK(sheet.score().length_mean == 6);
    CHECK(sheet.score().cut_off == 1);
    CHECK(sheet.score(1, 2).cut_off == 0);
    CHECK(sheet.score(0, 1).return_mean == 15);
    CHECK(sheet.score(1, 2).return_mean == 30);
}

}  // namespace score_test
