// SPDX-License-Identifier: Apache-2.0
#include "train/learn/minibatches.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

#include "support/catch.hpp"

namespace minibatches_test {

namespace {

using namespace tenon;
using Row = std::pair<std::uint32_t, std::uint32_t>;  // slot, lane

constexpr std::uint32_t kSteps = 6;
constexpr std::uint32_t kLanes = 5;

TrainTable table(std::int64_t minibatch, const char* shuffle, std::int64_t length = 0) {
    TrainTable out;
    out.minibatch = minibatch;
    out.shuffle = shuffle;
    if (length > 0) {
        out.slice_length = length;
    }
    return out;
}

Storage storage(std::uint32_t lanes = kLanes) {
    return *Storage::make({}, kSteps + 1, lanes);
}

std::vector<Row> rows_of(const Minibatch& batch) {
    const std::int64_t count = batch.sizes.rows > 0 ? batch.sizes.rows : batch.sizes.time * batch.sizes.lanes;
    const SampledThere* const there = batch.rows.there;  // memory of the emulated device is the host's
    const std::uint32_t* const slots = there != nullptr ? there->slots : batch.rows.slots[0];
    const std::uint32_t* const lanes = there != nullptr ? there->lanes : batch.rows.lanes[0];
    std::vector<Row> out;
    for (std::int64_t i = 0; i < count; ++i) {
        out.emplace_back(slots[i], lanes[i]);
    }
    return out;
}

std::vector<std::vector<Row>> epoch(Minibatches& minibatches, const Storage& of, std::uint64_t counter) {
    REQUIRE(minibatches.shuffle(of, std::vector<std::uint32_t>(of.lanes(), kSteps), counter));
    std::vector<std::vector<Row>> out;
    for (std::size_t i = 0; i < minibatches.count(); ++i) {
        out.push_back(rows_of(minibatches.at(i)));
    }
    return out;
}

std::vector<Row> sorted(const std::vector<std::vector<Row>>& parts) {
    std::vector<Row> out;
    for (const auto& part : parts) {
        out.insert(out.end(), part.begin(), part.end());
    }
    std::sort(out.begin(), out.end());
    return out;
}

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

TEST_CASE("rows that are sent to a device, and ordered by another thread if there are many, are the host's") {
    for (const std::uint32_t lanes : {kLanes, 20'001U}) {
        for (const TrainTable& train : {table(70, "frames"), table(60, "lanes"), table(40, "slices", 2)}) {
            CAPTURE(lanes, *train.shuffle);
            Storage of = storage(lanes);
            Minibatches home(train, kSteps, lanes, 1);
            Minibatches there(train, kSteps, lanes, 1);
            REQUIRE(there.put_on(open_emulated(), 2));
            for (const std::uint64_t counter : {3, 4, 5, 6, 7, 8}) {
                if (counter % 2 == 1) {
                    there.begin_batch();
                }
                const auto rows = epoch(there, of, counter);
                REQUIRE(there.begin_shuffle(counter == 5 ? 77 : counter + 1));
                REQUIRE(there.begin_shuffle(counter + 2));
                CHECK(rows == epoch(home, of, counter));
                CHECK(rows_of(there.at(0)) == rows.front());
            }
            of.park(2);
            CHECK(epoch(there, of, 9) == epoch(home, of, 9));
            REQUIRE(there.begin_shuffle(10));  // nobody waits for it
        }
    }
}

// While it is there, no thread can be made: each would have a stack as large as all addresses.
class NoThreads {
public:
    NoThreads() {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 47U);
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;
    ~NoThreads() {
        ::pthread_setattr_default_np(&before_);
        ::pthread_attr_destroy(&before_);
    }

private:
    pthread_attr_t before_{};
};

TEST_CASE("where no thread can be made, the rows of the next epoch are ordered when they are wanted") {
    constexpr std::uint32_t kMany = 20'001;  // enough for a thread
    const Storage of = storage(kMany);
    Minibatches home(table(70, "frames"), kSteps, kMany, 1);
    Minibatches there(table(70, "frames"), kSteps, kMany, 1);
    REQUIRE(there.put_on(open_emulated(), 2));
    {
        const NoThreads none;
        CHECK_THROWS_AS(std::thread([] {}), std::system_error);
        REQUIRE(there.begin_shuffle(1));
    }
    CHECK(epoch(there, of, 1) == epoch(home, of, 1));
    REQUIRE(there.begin_shuffle(2));
    CHECK(epoch(there, of, 2) == epoch(home, of, 2));
}

}  // namespace minibatches_test
