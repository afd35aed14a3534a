// SPDX-License-Identifier: Apache-2.0
// Two calls at the same time.
#pragma once

#include <latch>
#include <thread>
#include <utility>

#include "error/result.hpp"

namespace tenon {

// Each on a thread of its own. They begin together: otherwise one may be done before the other has begun.
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
