// SPDX-License-Identifier: Apache-2.0
// Counts episodes towards a score: of each lane, as many as it is to play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experience/env/episodes.hpp"
#include "train/collect/score.hpp"

namespace tenon {

class ScoreSheet {
public:
    // Starts counting; lane i plays episodes[i] whole episodes.
    void begin(std::vector<std::int64_t> episodes);

    // The episodes that have ended with a step. More of a lane than it is to play do not count.
    void add(std::span<const EndedEpisode> ended);

    // Whether every lane has finished its episodes.
    [[nodiscard]] bool complete() const { return open_ == 0; }
    [[nodiscard]] Score score() const { return score(0, static_cast<std::uint32_t>(left_.size())); }
    // Of the episodes in these lanes.
    [[nodiscard]] Score score(std::uint32_t first, std::uint32_t count) const;

private:
    std::size_t open_ = 0;            // lanes with episodes left
    std::vector<std::int64_t> left_;  // remaining episodes of each lane
    std::vector<EndedEpisode> ended_;
};

}  // namespace tenon
