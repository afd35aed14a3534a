// SPDX-License-Identifier: Apache-2.0
// The best evaluations of a run, best first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon {

struct Ranked {
    std::int64_t position = 0;  // of the run at the evaluation
    double score = 0;
};

// Adds an evaluation, and keeps the best `keep`. Of equal scores the older one is better.
inline void rank(std::vector<Ranked>& best, const Ranked& evaluated, std::size_t keep) {
    const auto place = std::ranges::find_if(best, [&](const Ranked& other) { return other.score < evaluated.score; });
    best.insert(place, evaluated);
    best.resize(std::min(best.size(), std::max<std::size_t>(keep, 1)));
}

}  // namespace tenon
