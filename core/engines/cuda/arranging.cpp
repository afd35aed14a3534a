// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/arranging.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tenon::compiled::device {

std::vector<RunStep> arrange(std::span<const RunStep> steps, std::span<const TableCopy> tables,
                             std::vector<std::size_t>& order) {
    std::vector<Accesses> accesses;
    std::vector<std::size_t> level(steps.size(), 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        accesses.push_back(accesses_of(steps[i], tables));
        for (std::size_t before = 0; before < i; ++before) {
            if (must_wait(accesses[i], accesses[before])) {
                level[i] = std::max(level[i], level[before] + 1);
            }
        }
    }
    order.resize(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return level[i]; });
    std::vector<RunStep> out;
    unsigned next_block = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        RunStep& step = out.emplace_back(steps[order[i]]);
        step.first_block = static_cast<std::uint8_t>(next_block % kTogether);
        next_block += step.blocks_used;
        const bool ends = i + 1 == order.size() || level[order[i + 1]] != level[order[i]];
        step.others_wait = ends ? 1 : 0;
    }
    return out;
}

}  // namespace tenon::compiled::device
