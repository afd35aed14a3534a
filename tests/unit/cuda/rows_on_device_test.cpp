// SPDX-License-Identifier: Apache-2.0
// The rows of minibatches that are taken on a device.
#include <pthread.h>

#include <cstdint>
#include <system_error>
#include <thread>

#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"
#include "train/learn/minibatches.hpp"
#include "unit/train/epochs.hpp"

namespace rows_on_device_test {

using namespace tenon;
using namespace tenon::test;

TEST_CASE("rows that are sent to a device, and ordered by another thread if there are many, are the host's") {
    for (const std::uint32_t lanes : {kLanes, 20'001U}) {
        for (const TrainTable& train : {table(70, "frames"), table(60, "lanes"), table(40, "slices", 2)}) {
            CAPTURE(lanes, *train.shuffle);
            Storage of = storage(lanes);
            Minibatches on_host(train, kSteps, lanes, 1);
            Minibatches on_device(train, kSteps, lanes, 1);
            REQUIRE(on_device.put_on(open_emulated(), 2));
            for (const std::uint64_t counter : {3, 4, 5, 6, 7, 8}) {
                if (counter % 2 == 1) {
                    on_device.begin_batch();
                }
                const auto rows = epoch(on_device, of, counter);
                REQUIRE(on_device.begin_shuffle(counter == 5 ? 77 : counter + 1));
                REQUIRE(on_device.begin_shuffle(counter + 2));
                CHECK(rows == epoch(on_host, of, counter));
                CHECK(rows_of(on_device.at(0)) == rows.front());
            }
            of.park(2);
            CHECK(epoch(on_device, of, 9) == epoch(on_host, of, 9));
            REQUIRE(on_device.begin_shuffle(10));  // nobody waits for it
        }
    }
}

// While it lives, no thread can be made: each would have a stack as large as all addresses.
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
    Minibatches on_host(table(70, "frames"), kSteps, kMany, 1);
    Minibatches on_device(table(70, "frames"), kSteps, kMany, 1);
    REQUIRE(on_device.put_on(open_emulated(), 2));
    {
        const NoThreads none;
        CHECK_THROWS_AS(std::thread([] {}), std::system_error);
        REQUIRE(on_device.begin_shuffle(1));
    }
    CHECK(epoch(on_device, of, 1) == epoch(on_host, of, 1));
    REQUIRE(on_device.begin_shuffle(2));
    CHECK(epoch(on_device, of, 2) == epoch(on_host, of, 2));
}

}  // namespace rows_on_device_test
