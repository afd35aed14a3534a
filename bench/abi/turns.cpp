// SPDX-License-Identifier: Apache-2.0
#include "turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tenon::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Nanoseconds for one way in one round: long compared with the clock's resolution, so short that other processes rarely
// interrupt it.
constexpr double kTurnNs = 200e3;
constexpr std::size_t kFewestRounds = 5;

double ns_since(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

Result<double> time(const Way& way, std::uint32_t calls) {
    const Clock::time_point start = Clock::now();
    if (Status status = way(calls); !status) {
        return std::move(status.error());
    }
    return ns_since(start) / calls;
}

Spread spread(std::vector<double> values) {
    std::ranges::sort(values);
    const auto at = [&](double part) {
        return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
    };
    return {.median = at(0.5), .low = at(0.25), .high = at(0.75)};
}

}  // namespace

Result<Turns> Turns::take(const std::vector<Way>& ways, std::uint32_t unit, double seconds) {
    double slowest = 0;
    for (int warm = 0; warm < 2; ++warm) {
        slowest = 0;
        for (const Way& way : ways) {
            Result<double> ns = time(way, unit);
            if (!ns) {
                return std::move(ns.error());
            }
            slowest = std::max(slowest, *ns);
        }
    }
    const std::uint32_t calls = unit * static_cast<std::uint32_t>(std::ceil(kTurnNs / (slowest * unit)));
    Turns out;
    out.ns_.resize(ways.size());
    const Clock::time_point start = Clock::now();
    for (std::size_t round = 0; round < kFewestRounds || ns_since(start) < seconds * 1e9; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const std::size_t way = (round + i) % ways.size();
            Result<double> ns = time(ways[way], calls);
            if (!ns) {
                return std::move(ns.error());
            }
            out.ns_[way].push_back(*ns);
        }
    }
    return out;
}

Spread Turns::ns(std::size_t way) const {
    return spread(ns_[way]);
}

Spread Turns::ratio(std::size_t way, std::size_t to) const {
    std::vector<double> values;
    for (std::size_t round = 0; round < ns_[way].size(); ++round) {
        values.push_back(ns_[way][round] / ns_[to][round]);
    }
    return spread(std::move(values));
}

Spread Turns::difference(std::size_t way, std::size_t to) const {
    std::vector<double> values;
    for (std::size_t round = 0; round < ns_[way].size(); ++round) {
        values.push_back(ns_[way][round] - ns_[to][round]);
    }
    return spread(std::move(values));
}

}  // namespace tenon::bench
