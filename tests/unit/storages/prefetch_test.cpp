// SPDX-License-Identifier: Apache-2.0
// The thread that prepares the next minibatch: it gives what was begun, once, and nothing that was dropped.
#include "train/learn/prefetch.hpp"

#include <thread>

#include "support/catch.hpp"

namespace prefetch_test {

namespace {

using namespace tenon;

struct Prepared {
    std::thread::id by;
    int times = 0;
};

Result<Sizes> prepare(void* self, std::uint64_t counter) {
    auto& prepared = *static_cast<Prepared*>(self);
    prepared.by = std::this_thread::get_id();
    ++prepared.times;
    return counter == 9 ? Result<Sizes>(input_problem("nine"))
                        : Result<Sizes>(Sizes{.rows = static_cast<std::int64_t>(counter) * 10});
}

TEST_CASE("a minibatch that was begun can be taken once, prepared by another thread") {
    Prepared prepared;
    Prefetch prefetch;
    CHECK_FALSE(prefetch.take(1));
    prefetch.begin(prepare, &prepared, 1);
    const auto first = prefetch.take(1);
    REQUIRE(first);
    CHECK((*first)->rows == 10);
    CHECK(prepared.by != std::this_thread::get_id());
    CHECK_FALSE(prefetch.take(1));
}

TEST_CASE("another number, or a dropped minibatch, is not given") {
    Prepared prepared;
    Prefetch prefetch;
    prefetch.begin(prepare, &prepared, 2);
    CHECK_FALSE(prefetch.take(3));
    CHECK_FALSE(prefetch.take(2));  // it is forgotten
    prefetch.begin(prepare, &prepared, 4);
    prefetch.drop();
    CHECK_FALSE(prefetch.take(4));
    prefetch.begin(prepare, &prepared, 5);
    prefetch.settle();
    CHECK(prefetch.take(5));
    CHECK(prepared.times == 3);
}

TEST_CASE("a problem of the other thread is given in its place") {
    Prepared prepared;
    Prefetch prefetch;
    prefetch.begin(prepare, &prepared, 9);
    const auto taken = prefetch.take(9);
    REQUIRE(taken);
    CHECK(taken->error().sentence == "nine");
    prefetch.begin(prepare, &prepared, 1);  // its end is waited for
}

}  // namespace

}  // namespace prefetch_test
