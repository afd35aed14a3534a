// SPDX-License-Identifier: Apache-2.0
#include "train/learn/minibatches.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "support/catch.hpp"
#include "unit/train/epochs.hpp"

namespace minibatches_test {

namespace {

using namespace tenon;
using namespace tenon::test;
std::vector<Row> all_rows(std::uint32_t without = kLanes) {
    std::vector<Row> out;
    for (std::uint32_t slot = 0; slot < kSteps; ++slot) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if (lane != without) {
                out.emplace_back(slot, lane);
            }
        }
    }
    return out;
}

}  // namespace

TEST_CASE("an epoch deals out every row once, the remainder last") {
    struct Way {
        TrainTable train;
        std::size_t count;
        std::size_t last;
    };
    for (const Way& way : {Way{table(8, "frames"), 4, 6}, Way{table(30, "frames"), 1, 30},
                           Way{table(12, "lanes"), 3, 6}, Way{table(12, "slices", 3), 3, 6}}) {
        CAPTURE(*way.train.shuffle, way.train.minibatch);
        Minibatches minibatches(way.train, kSteps, kLanes, 1);
        const auto parts = epoch(minibatches, storage(), 0);
        REQUIRE(parts.size() == way.count);
        CHECK(parts.back().size() == way.last);
        CHECK(sorted(parts) == all_rows());
    }
}

TEST_CASE("the order is a function of seed and counter, and looks like chance") {
    Minibatches one(table(10, "frames"), kSteps, kLanes, 1);
    Minibatches other(table(10, "frames"), kSteps, kLanes, 2);
    const Storage of = storage();
    const auto first = epoch(one, of, 7);
    CHECK(epoch(one, of, 8) != first);
    CHECK(epoch(one, of, 7) == first);
    CHECK(epoch(other, of, 7) != first);
    std::vector<int> in_front(std::size_t{kSteps} * kLanes);
    for (std::uint64_t counter = 0; counter < 3000; ++counter) {
        REQUIRE(one.shuffle(of, std::vector<std::uint32_t>(kLanes, kSteps), counter));
        const Row row = rows_of(one.at(0)).front();
        ++in_front[row.first * kLanes + row.second];
    }
    // 100 expected each, with a deviation of 9.8
    CHECK(*std::min_element(in_front.begin(), in_front.end()) > 60);
    CHECK(*std::max_element(in_front.begin(), in_front.end()) < 145);
}

TEST_CASE("sequences lie time-major and run through a lane without a gap") {
    for (const auto& [train, length] : {std::pair{table(12, "lanes"), kSteps}, {table(12, "slices", 3), 3U}}) {
        Minibatches minibatches(train, kSteps, kLanes, 5);
        REQUIRE(minibatches.shuffle(storage(), std::vector<std::uint32_t>(kLanes, kSteps), 3));
        for (std::size_t i = 0; i < minibatches.count(); ++i) {
            const Minibatch batch = minibatches.at(i);
            REQUIRE(batch.sizes.rows == 0);
            REQUIRE(batch.sizes.time == length);
            const auto lanes = static_cast<std::size_t>(batch.sizes.lanes);
            const std::vector<Row> rows = rows_of(batch);
            for (std::size_t at = 0; at < rows.size(); ++at) {
                CHECK(rows[at].second == rows[at % lanes].second);
                CHECK(rows[at].first == rows[at % lanes].first + at / lanes);
            }
            CHECK(rows[0].first % length == 0);
        }
    }
}

TEST_CASE("lanes that were given up are left out") {
    Storage of = storage();
    of.park(2);
    for (const TrainTable& train : {table(7, "frames"), table(6, "lanes"), table(4, "slices", 2)}) {
        Minibatches minibatches(train, kSteps, kLanes, 1);
        CHECK(sorted(epoch(minibatches, of, 0)) == all_rows(2));
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        of.park(lane);
    }
    Minibatches none(table(7, "frames"), kSteps, kLanes, 1);
    CHECK(epoch(none, of, 0).empty());
}

}  // namespace minibatches_test
