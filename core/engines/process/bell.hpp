// SPDX-License-Identifier: Apache-2.0
// Lets two processes that share memory wait for each other: each waits until the other's number has a value. It spins
// for the time of a short call and then sleeps.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon {

// A number that the other side waits for.
struct Bell {
    std::atomic<std::uint32_t> number{0};
    std::atomic<std::uint32_t> asleep{0};  // whether the waiting side must be woken
};

// Sets the number and wakes the sleeping side.
void announce(Bell& bell, std::uint32_t value);

// Waits until the number is `value`; false if that takes longer than `seconds`. Other processes may set it.
bool await(Bell& bell, std::uint32_t value, double seconds);
// The same for a number that counts up: until it is `value` or has passed it.
bool await_reached(Bell& bell, std::uint32_t value, double seconds);
// The same without spinning first, which leaves the processor to others and wakes a little later.
bool sleep_until_reached(Bell& bell, std::uint32_t value, double seconds);

}  // namespace tenon
