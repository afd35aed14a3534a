// SPDX-License-Identifier: Apache-2.0
// What episodes came to: mean and deviation of their returns, mean of their lengths.
#pragma once

#include <cstdint>
#include <vector>

namespace tenon {

struct Score {
    double return_mean = 0;
    double return_std = 0;  // of the population of these episodes
    double length_mean = 0;
    std::int64_t episodes = 0;
};

// Of episodes with those returns and so many steps altogether; zeros where there are none.
Score score_of(const std::vector<double>& returns, std::int64_t steps);

}  // namespace tenon
