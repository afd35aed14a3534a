// SPDX-License-Identifier: Apache-2.0
// The best whole episodes of a buffer: those with the highest sums of a column, until they have a share of all frames.
// They are ranked again when frames have been collected, or dropped with a lane that is parked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tenon/sampler.hpp"

class BestEpisodes {
public:
    void follow(const tenon::Transitions& buffer, const std::string& column, double share) {
        const std::pair now(buffer.appended(), buffer.size());
        if (seen_ != now) {
            rank(buffer, column, share);
            seen_ = now;
        }
        if (ends_.empty()) {
            throw tenon::FailedPrecondition(
                "the buffer holds no whole episode yet; collect more before the first update (train.start_frames), or "
                "give it more room (buffer.capacity)");
        }
    }

    // Every frame of the best episodes is equally likely.
    [[nodiscard]] tenon::SlotLane draw(tenon::Rng& rng, const tenon::Transitions& buffer) const {
        const std::uint64_t number = rng.below(ends_.back());
        const auto which =
            static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
        const std::uint64_t before = which == 0 ? 0 : ends_[which - 1];
        return buffer.after(episodes_[which].first, number - before);
    }

private:
    struct Episode {
        double sum = 0;
        tenon::SlotLane first{};
        std::uint32_t steps = 0;
    };

    void rank(const tenon::Transitions& buffer, const std::string& column, double share) {
        episodes_.clear();
        std::uint64_t frames = 0;
        for (std::uint32_t lane = 0; lane < buffer.lanes(); ++lane) {
            // the episode of the oldest step may have lost its beginning if steps have been overwritten
            bool whole = buffer.size_of(lane) == buffer.appended();
            Episode now;
            for (std::uint32_t age = 0; age < buffer.size_of(lane); ++age) {
                const tenon::SlotLane at = buffer.at(lane, age);
                now.first = now.steps == 0 ? at : now.first;
                now.sum += value(buffer, at, column);
                ++now.steps;
                if (buffer.ends_episode(at)) {
                    if (whole) {
                        episodes_.push_back(now);
                        frames += now.steps;
                    }
                    whole = true;
                    now = {};
                }
            }
        }
        std::ranges::stable_sort(episodes_, std::ranges::greater(), &Episode::sum);
        const double wanted = share * static_cast<double>(frames);
        ends_.clear();
        for (const Episode& episode : episodes_) {
            const std::uint64_t have = ends_.empty() ? 0 : ends_.back();
            if (static_cast<double>(have) < wanted) {
                ends_.push_back(have + episode.steps);
            }
        }
    }

    [[nodiscard]] static double value(const tenon::Transitions& buffer, tenon::SlotLane at, const std::string& column) {
        const double value = buffer.number(at);
        if (!std::isfinite(value)) {
            throw tenon::InvalidArgument("'" + column + "' is not finite in slot " + std::to_string(at.slot) +
                                         " of lane " + std::to_string(at.lane) +
                                         "; episodes are ranked by the sum of it");
        }
        return value;
    }

    std::pair<std::uint64_t, std::uint64_t> seen_{std::numeric_limits<std::uint64_t>::max(), 0};
    std::vector<Episode> episodes_;    // the best first
    std::vector<std::uint64_t> ends_;  // of the chosen ones: frames up to the end of each
};
