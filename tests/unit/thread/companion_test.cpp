// SPDX-License-Identifier: Apache-2.0
#include "base/thread/companion.hpp"

#include <new>
#include <thread>

#include "support/catch.hpp"

namespace companion_test {

using tenon::Companion;

TEST_CASE("a companion makes one call after the other, on a thread of its own") {
    struct Seen {
        int calls = 0;
        std::thread::id thread;
    } seen;
    Companion companion;
    for (int i = 1; i <= 100; ++i) {
        companion.begin(
            [](void* arg) {
                Seen& to = *static_cast<Seen*>(arg);
                ++to.calls;
                to.thread = std::this_thread::get_id();
            },
            &seen);
        companion.wait();
        REQUIRE(seen.calls == i);
    }
    CHECK(seen.thread != std::this_thread::get_id());
}

TEST_CASE("an exception of the call is thrown where it is waited for, once") {
    Companion companion;
    companion.begin([](void*) { throw std::bad_alloc(); }, nullptr);
    CHECK_THROWS_AS(companion.wait(), std::bad_alloc);
    companion.begin([](void*) {}, nullptr);
    CHECK_NOTHROW(companion.wait());
}

TEST_CASE("a companion that is never called ends") {
    const Companion companion;
}

}  // namespace companion_test
