// SPDX-License-Identifier: Apache-2.0
// How a row of pixels becomes a row of another length: each new pixel is a weighted sum of neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "images/shares.hpp"

// New pixel i is the sum over k < per of weight[i * per + k] times pixel first[i] + k.
struct Resampling {
    std::size_t per = 0;
    std::vector<std::size_t> first;
    std::vector<float> weight;
};

inline Resampling resampling(std::string_view method, std::size_t from, std::size_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    std::vector<Share> shares;
    for (std::size_t i = 0; i < to; ++i) {
        const auto nearest = std::min(static_cast<std::size_t>(static_cast<double>(i) * scale), from - 1);
        shares.push_back(method == "area"        ? area_share(i, from, scale)
                         : method == "bilinear"  ? bilinear_share(i, from, scale)
                         : method == "bicubic"   ? bicubic_share(i, from, scale)
                         : method == "antialias" ? antialias_share(i, from, scale)
                                                 : Share{.first = nearest, .weight = {1}});
    }
    Resampling out;
    for (const Share& share : shares) {
        out.per = std::max(out.per, share.weight.size());
    }
    for (const Share& share : shares) {
        const std::size_t first = std::min(share.first, from - out.per);  // all of them are in the row
        out.first.push_back(first);
        out.weight.resize(out.weight.size() + out.per, 0);
        std::ranges::copy(share.weight,
                          out.weight.end() - static_cast<std::ptrdiff_t>(out.per - (share.first - first)));
    }
    return out;
}
