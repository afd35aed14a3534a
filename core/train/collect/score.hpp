// SPDX-License-Identifier: Apache-2.0
// The score of some episodes, and what counts them towards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experience/env/episodes.hpp"

namespace tenon {

// The result of some episodes: mean and standard deviation of their returns, mean of their lengths.
struct Score {
    double return_mean = 0;
    double return_std = 0;  // population standard deviation over these episodes
    double length_mean = 0;
    std::int64_t episodes = 0;
    std::int64_t cut_off = 0;  // of these, which had not ended by themselves (eval.max_steps)
};

struct NamedScore {
    std::string name;  // of the evaluation env or the task; empty if it has none
    Score score;
};

// The score of episodes with these returns and this total number of steps; zeros if there are none.
Score score_of(const std::vector<double>& returns, std::int64_t steps);

// Counts episodes towards a score: of each lane, as many as it is to play.
class ScoreSheet {
public:
    // Starts counting; lane i plays episodes[i] whole episodes.
    void begin(std::vector<std::int64_t> episodes);

    // The episodes that have ended with a step. More of a lane than it is to play do not count.
    void add(std::span<const EndedEpisode> ended);

    // Whether every lane has finished its episodes.
    [[nodiscard]] bool complete() const { return open_ == 0; }
    [[nodiscard]] Score score() const { return score(0, static_cast<std::uint32_t>(left_.size())); }
    // The score of the episodes in these lanes.
    [[nodiscard]] Score score(std::uint32_t first, std::uint32_t count) const;

private:
    std::size_t open_ = 0;            // lanes with episodes left
    std::vector<std::int64_t> left_;  // remaining episodes of each lane
    std::vector<EndedEpisode> ended_;
};

}  // namespace tenon
