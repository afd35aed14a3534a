// SPDX-License-Identifier: Apache-2.0
// How a row of pixels becomes a row of another length: each new pixel is a weighted sum of neighbours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

// New pixel i is the sum over k < per of weight[i * per + k] times pixel first[i] + k.
struct Resampling {
    std::size_t per = 0;
    std::vector<std::size_t> first;
    std::vector<float> weight;
};

// The weights of one new pixel, by the number of the first old one.
struct Share {
    std::size_t first = 0;
    std::vector<float> weight;
};

// The mean of what a new pixel covers; the same numbers as OpenCV's INTER_AREA has where pixels become fewer.
inline Share area_share(std::size_t i, std::size_t from, double scale) {
    constexpr double kNothing = 1e-3;
    const double low = static_cast<double>(i) * scale;
    const double high = low + scale;
    const double width = std::min(scale, static_cast<double>(from) - low);
    const auto end = std::min(static_cast<std::size_t>(high), from - 1);
    const auto begin = std::min(static_cast<std::size_t>(std::ceil(low)), end);
    Share share{.first = begin, .weight = {}};
    if (static_cast<double>(begin) - low > kNothing) {
        share.first = begin - 1;
        share.weight.push_back(static_cast<float>((static_cast<double>(begin) - low) / width));
    }
    share.weight.insert(share.weight.end(), end - begin, static_cast<float>(1 / width));
    if (high - static_cast<double>(end) > kNothing) {
        share.weight.push_back(static_cast<float>(std::min({high - static_cast<double>(end), 1.0, width}) / width));
    }
    return share;
}

// Between the two nearest pixels, centres at halves.
inline Share bilinear_share(std::size_t i, std::size_t from, double scale) {
    const double at = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0, static_cast<double>(from - 1));
    const auto first = static_cast<std::size_t>(at);
    const auto part = static_cast<float>(at - static_cast<double>(first));
    return part > 0 ? Share{.first = first, .weight = {1 - part, part}} : Share{.first = first, .weight = {1}};
}

inline Resampling resampling(std::string_view method, std::size_t from, std::size_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    std::vector<Share> shares;
    for (std::size_t i = 0; i < to; ++i) {
        const auto nearest = std::min(static_cast<std::size_t>(static_cast<double>(i) * scale), from - 1);
        shares.push_back(method == "area"       ? area_share(i, from, scale)
                         : method == "bilinear" ? bilinear_share(i, from, scale)
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
