// SPDX-License-Identifier: Apache-2.0
// Truncates every episode after a number of steps drawn for it, so that lanes do not end at the same time and the
// length of an episode cannot be foreseen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct RandomTimeLimit {
    double least;
    double most;

    static constexpr auto options = std::tuple{
        tenon::live<&RandomTimeLimit::least>("least", 1, "[1,1e15]", "an episode has at least so many steps"),
        tenon::live<&RandomTimeLimit::most>("most", 1000, "[1,1e15]", "and at most so many, or `least`"),
    };

    struct Lane {
        std::int64_t left = 0;
    };

    void setup() const {
        if (least > most) {
            throw tenon::InvalidArgument("option 'least' is above option 'most'");
        }
    }

    // A schedule may move both options past each other.
    void begin(Lane& lane, tenon::Rng& rng) const {
        const auto low = static_cast<std::uint64_t>(least);
        const std::uint64_t high = std::max(low, static_cast<std::uint64_t>(most));
        lane.left = static_cast<std::int64_t>(low + rng.below(high - low + 1));
    }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        if (--lane.left == 0) {
            row.truncate();
        }
    }
};
