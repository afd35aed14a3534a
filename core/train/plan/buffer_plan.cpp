// SPDX-License-Identifier: Apache-2.0
#include "train/plan/buffer_plan.hpp"

#include <cmath>

namespace tenon {

// Rounds the ends of the parts rather than their sizes, so that the sizes add up.
std::vector<std::uint32_t> rows_of_mixture(const BufferTable& mixture, std::int64_t rows) {
    std::vector<std::uint32_t> out;
    double fraction = 0;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < mixture.mix.size(); ++i) {
        fraction += mixture.mix[i].fraction;
        const std::int64_t begin = end;
        end = i + 1 == mixture.mix.size() ? rows : std::llround(fraction * static_cast<double>(rows));
        out.push_back(static_cast<std::uint32_t>(end - begin));
    }
    return out;
}

}  // namespace tenon
