// SPDX-License-Identifier: Apache-2.0
// Several ways to do the same, timed by turns in many short rounds: whatever else the machine does meets all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/error/result.hpp"

namespace tenon::bench {

// Does so many calls.
using Way = std::function<Status(std::uint32_t calls)>;

// The middle one of many figures, and the quarters below and above it.
struct Spread {
    double median = 0;
    double low = 0;
    double high = 0;
};

class Turns {
public:
    // Rounds for about so many seconds, each of some multiple of `unit` calls of every way.
    static Result<Turns> take(const std::vector<Way>& ways, std::uint32_t unit, double seconds);

    [[nodiscard]] Spread ns(std::size_t way) const;  // a call
    // Of the rounds, in each of which the machine was the same for both.
    [[nodiscard]] Spread ratio(std::size_t way, std::size_t to) const;
    [[nodiscard]] Spread difference(std::size_t way, std::size_t to) const;  // in nanoseconds a call

private:
    std::vector<std::vector<double>> ns_;  // [way][round]
};

}  // namespace tenon::bench
