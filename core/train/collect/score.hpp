// SPDX-License-Identifier: Apache-2.0
// The result of some episodes: mean and standard deviation of their returns, mean of their lengths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

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

// Of episodes with these returns and this total number of steps; zeros if there are none.
Score score_of(const std::vector<double>& returns, std::int64_t steps);

}  // namespace tenon
