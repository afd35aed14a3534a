// SPDX-License-Identifier: Apache-2.0
// Two calls at the same time.
#pragma once

#include <latch>
#include <thread>
#include <utility>

#include "base/error/result.hpp"

namespace tenon {

// Each runs in its own thread. They wait for each other at the start, so that they really overlap.
template <class First, class Second>
Status together(const First& first, const Second& second) {
    Status other;
    std::latch begin(2);
    std::thread thread([&] {
        begin.arrive_and_wait();
        other = second();
    });
    begin.arrive_and_wait();
    Status status = first();
    thread.join();
    return status ? std::move(other) : std::move(status);
}

}  // namespace tenon
