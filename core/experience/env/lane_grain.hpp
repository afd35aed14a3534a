// SPDX-License-Identifier: Apache-2.0
// How many lanes a thread takes at a time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon {

// Large enough that the work of a fast env exceeds the cost of distributing it.
inline constexpr std::uint32_t kLaneGrain = 64;

// Learns from an env's first steps how long a lane takes. For a slow env, such as a simulator, a thread takes fewer
// lanes at a time, so that all threads have some. Results do not depend on it.
class LaneGrain {
public:
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] bool is_learning() const { return steps_ < kSteps; }

    // Takes the duration of a step of all lanes into account.
    void learn(double seconds, std::uint32_t lanes, unsigned threads) {
        const auto busy = std::min<std::uint32_t>(threads, (lanes + lanes_ - 1) / lanes_);
        lane_seconds_ = std::min(lane_seconds_, seconds * busy / lanes);
        if (++steps_ == kSteps) {
            lanes_ = static_cast<std::uint32_t>(std::clamp(kRangeSeconds / lane_seconds_, 1.0, double{kLaneGrain}));
        }
    }

private:
    static constexpr int kSteps = 4;  // the shortest of them counts
    // of work in a range, compared with about one microsecond of overhead
    static constexpr double kRangeSeconds = 20e-6;

    std::uint32_t lanes_ = kLaneGrain;
    int steps_ = 0;
    double lane_seconds_ = 1;
};

}  // namespace tenon
