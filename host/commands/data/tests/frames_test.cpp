// SPDX-License-Identifier: Apache-2.0
// What `tenon data` says about frames.
#include <cmath>
#include <limits>

#include "commands/data/subcommands.hpp"
#include "support/catch.hpp"
#include "unit/dataset/two_lanes.hpp"

namespace frames_test {

using tenon::NamedFrames;
using tenon::NumberStats;

NamedFrames named(std::uint32_t slots, std::uint32_t steps) {
    return {.file = "it.frames",
            .format = "tenon frames/1",
            .frames = {.storage = tenon::test::two_lanes(slots, steps),
                       .about = {{"format", "tenon frames/1"},
                                 {"role.reward", "reward"},
                                 {"spec.action", "action: int64, 2 categories"},
                                 {"env", "two"}}},
            .specs = {},
            .episodes = {},
            .left_out = {}};
}

TEST_CASE("statistics are those of the population, and NaNs are counted apart") {
    NumberStats stats;
    for (const double value : {1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 6.0}) {
        stats.add(value);
    }
    CHECK(stats.count == 3);
    CHECK(stats.nans == 1);
    CHECK(stats.mean == 3);
    CHECK(std::abs(stats.std() - std::sqrt(14.0 / 3)) < 1e-12);
    CHECK((stats.min == 1 && stats.max == 6));
}

TEST_CASE("returns are those of whole episodes") {
    const tenon::EpisodeSummary episodes = tenon::summarise_episodes(named(16, 6).frames.storage);
    CHECK(episodes.whole == 2);
    CHECK(episodes.pieces == 2);
    CHECK((episodes.terminated == 1 && episodes.truncated == 1));
    CHECK(episodes.returns == std::vector<double>{6, 9});
    CHECK(episodes.lengths == std::vector<double>{3, 2});
}

TEST_CASE("the information has columns with their specs, and what the writer says") {
    const tenon::FramesInfo info = tenon::info_of(named(16, 6));
    CHECK(info.frames == 12);
    CHECK(info.lanes == 2);
    CHECK(info.facts == tenon::DatasetFacts{{"env", "two"}});
    REQUIRE(info.columns.size() == 6);
    CHECK(info.columns[2].spec == "int64, 2 categories");
    CHECK(info.columns[0].spec.empty());
    CHECK(info.columns[3].role == "flag");
}

TEST_CASE("columns are summed up over all frames that are held") {
    const std::vector<tenon::ColumnStats> stats = tenon::stats_of(named(5, 6));
    REQUIRE(stats[1].key == "reward");
    CHECK(stats[1].all.count == 8);  // steps 2 to 5 of two lanes
    CHECK((stats[1].all.min == 3 && stats[1].all.max == 6));
}

TEST_CASE("the first frames go episode by episode") {
    const std::vector<tenon::FrameRow> rows = tenon::first_rows(named(16, 6), 5);
    REQUIRE(rows.size() == 5);
    CHECK((rows[2].episode == 0 && rows[2].step == 2));
    CHECK((rows[3].episode == 1 && rows[3].step == 0));
    CHECK(rows[3].values[0].numbers == std::vector<double>{100});
    CHECK((rows[2].values[3].key == "terminated" && rows[2].values[3].numbers.front() == 1));
}

}  // namespace frames_test
