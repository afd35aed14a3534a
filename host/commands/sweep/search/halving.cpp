// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/search/halving.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace tenon {

std::optional<HalvingStep> halving_step(std::span<const RungResult> results, std::size_t rungs, std::size_t factor,
                                        std::size_t begun, std::size_t trials) {
    std::vector<std::vector<std::pair<double, std::size_t>>> ended(rungs);
    std::vector<std::set<std::size_t>> here(rungs);  // the trials that have begun the way to each rung
    for (const RungResult& result : results) {
        here[result.rung].insert(result.trial);
        if (result.ended) {
            ended[result.rung].emplace_back(std::isfinite(result.loss) ? result.loss : HUGE_VAL, result.trial);
        }
    }
    for (std::size_t rung = rungs - 1; rung-- > 0;) {
        auto& order = ended[rung];  // of equal ones, the earlier trial is better
        std::ranges::sort(order);
        for (std::size_t i = 0; i < order.size() / factor && order[i].first < HUGE_VAL; ++i) {
            if (!here[rung + 1].contains(order[i].second)) {
                return HalvingStep{.trial = order[i].second, .rung = rung + 1};
            }
        }
    }
    return begun < trials ? std::optional(HalvingStep{.trial = begun, .rung = 0}) : std::nullopt;
}

}  // namespace tenon
