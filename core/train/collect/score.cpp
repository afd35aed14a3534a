// SPDX-License-Identifier: Apache-2.0
#include "train/collect/score.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {

Score score_of(const std::vector<double>& returns, std::int64_t steps) {
    Score out;
    out.episodes = static_cast<std::int64_t>(returns.size());
    const double n = std::max(static_cast<double>(returns.size()), 1.0);
    for (const double value : returns) {
        out.return_mean += value;
    }
    out.return_mean /= n;  // last: of a hundred ones it is one
    for (const double value : returns) {
        out.return_std += (value - out.return_mean) * (value - out.return_mean);
    }
    out.return_std = std::sqrt(out.return_std / n);
    out.length_mean = static_cast<double>(steps) / n;
    return out;
}

}  // namespace tenon
