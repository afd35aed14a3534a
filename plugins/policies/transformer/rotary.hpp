// SPDX-License-Identifier: Apache-2.0
// Rotary positions (Su et al. 2021, arXiv 2104.09864): pairs of a head's elements turn by an angle that grows with the
// position, so that scores depend on distances alone. The pairs are those of Llama: element i and i + size / 2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tenon/nets.hpp"

namespace transformer {

// x [.., n, width] at positions [.., n].
inline tenon::Value rotary(tenon::Value x, tenon::Value positions, std::int64_t heads, double base = 10000) {
    const std::int64_t half = std::max<std::int64_t>(tenon::last_size(x) / heads / 2, 1);
    std::vector<double> speeds;
    for (std::int64_t i = 0; i < half; ++i) {
        speeds.push_back(std::pow(base, -static_cast<double>(i) / static_cast<double>(half)));
    }
    const tenon::Value angles = unsqueeze(positions) * unsqueeze(tenon::constants(speeds), -2);
    const tenon::Value c = cos(angles), s = sin(angles);
    std::vector<tenon::In> out;
    for (std::int64_t head = 0; head < heads; ++head) {
        const tenon::Value a = slice(x, 2 * head * half, half), b = slice(x, (2 * head + 1) * half, half);
        out.emplace_back(a * c - b * s);
        out.emplace_back(b * c + a * s);
    }
    return concat(out);
}

}  // namespace transformer
