// SPDX-License-Identifier: Apache-2.0
#include "engines/process/bell.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <thread>

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

// About the time that waking a thread costs both sides. With a single processor, the other side needs it.
constexpr int kSpins = 2000;
// With more workers than processors, the other side may be waiting for this one.
constexpr int kYield = 50;

void pause_a_moment() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Not a process-private futex. The kernel compares the number and does not sleep if it has changed.
void sleep_on(const std::atomic<std::uint32_t>& number, std::uint32_t seen, double seconds) {
    const double whole = std::floor(seconds);
    const timespec limit{.tv_sec = static_cast<time_t>(whole), .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
    ::syscall(SYS_futex, &number, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

template <class Done>
bool await_until(Bell& bell, double seconds, int spins, Done is_done) {
    for (int i = 0; i < spins; ++i) {
        if (is_done(bell.number.load(std::memory_order_acquire))) {
            return true;
        }
        pause_a_moment();
        if (i % kYield == kYield - 1) {
            ::sched_yield();
        }
    }
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    bell.asleep.store(1);  // before the number is read, so that a writer after that sees it
    while (true) {
        const std::uint32_t seen = bell.number.load();
        const double left = std::chrono::duration<double>(end - Clock::now()).count();
        if (is_done(seen) || left <= 0) {
            bell.asleep.store(0);
            return is_done(seen);
        }
        sleep_on(bell.number, seen, left);
    }
}

int spins_of_this_machine() {
    static const int spins = std::thread::hardware_concurrency() > 1 ? kSpins : 0;
    return spins;
}

// Compared as a difference, because the number starts from zero again after 2^32.
bool has_reached(std::uint32_t number, std::uint32_t value) {
    return static_cast<std::int32_t>(number - value) >= 0;
}

}  // namespace

void announce(Bell& bell, std::uint32_t value) {
    bell.number.store(value);
    if (bell.asleep.load() != 0) {
        ::syscall(SYS_futex, &bell.number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
}

bool await(Bell& bell, std::uint32_t value, double seconds) {
    return await_until(bell, seconds, spins_of_this_machine(),
                       [value](std::uint32_t number) { return number == value; });
}

bool await_reached(Bell& bell, std::uint32_t value, double seconds) {
    return await_until(bell, seconds, spins_of_this_machine(),
                       [value](std::uint32_t number) { return has_reached(number, value); });
}

bool sleep_until_reached(Bell& bell, std::uint32_t value, double seconds) {
    return await_until(bell, seconds, 0, [value](std::uint32_t number) { return has_reached(number, value); });
}

}  // namespace tenon
