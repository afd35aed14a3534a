// SPDX-License-Identifier: Apache-2.0
// Truncates episodes after a number of steps drawn for each, so that lanes do not end at the same time and the length
// of an episode cannot be foreseen. With a schedule of `chance` from 1 to 0 only the first episodes are spread, as by
// TorchRL's RandomTruncationTransform.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct RandomTimeLimit {
    double least;
    double most;
    double chance;

    static constexpr auto options = std::tuple{
        tenon::live<&RandomTimeLimit::least>("least", 1, "[1,1e15]", "an episode has at least so many steps"),
        tenon::live<&RandomTimeLimit::most>("most", 1000, "[1,1e15]", "and at most so many, or `least`"),
        tenon::live<&RandomTimeLimit::chance>("chance", 1, "[0,1]",
                                              "share of episodes with a drawn limit; that of the others is `most`"),
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
        const bool drawn = chance >= 1 || rng.chance(chance);
        lane.left = static_cast<std::int64_t>(drawn ? low + rng.below(high - low + 1) : high);
    }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        if (--lane.left == 0) {
            row.truncate();
        }
    }
};
