// SPDX-License-Identifier: Apache-2.0
// Which old pixels a new one is made of, and how much of each, by the method of a resize. `scale` is the number of old
// pixels per new one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

// Between the nearest four by Keys' cubic with a = -0.75, as OpenCV's INTER_CUBIC; the edge pixel repeats outside.
inline Share bicubic_share(std::size_t i, std::size_t from, double scale) {
    constexpr double kA = -0.75;
    const double at = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const double left = std::floor(at);
    const auto pixel = [&](double x) {
        return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(from - 1)));
    };
    Share share{.first = pixel(left - 1), .weight = {}};
    for (int k = -1; k <= 2; ++k) {
        const double x = std::abs(at - left - k);
        const double weight = x <= 1 ? ((kA + 2) * x - (kA + 3)) * x * x + 1 : (((x - 5) * x + 8) * x - 4) * kA;
        share.weight.resize(std::max(share.weight.size(), pixel(left + k) - share.first + 1), 0);
        share.weight[pixel(left + k) - share.first] += static_cast<float>(weight);
    }
    return share;
}

// A triangle as wide as two new pixels, as torch's bilinear interpolation with antialias.
inline Share antialias_share(std::size_t i, std::size_t from, double scale) {
    const double width = std::max(scale, 1.0);
    const double centre = scale * (static_cast<double>(i) + 0.5);
    const auto begin = static_cast<std::size_t>(std::floor(std::max(centre - width + 0.5, 0.0)));
    const auto end = std::min(static_cast<std::size_t>(std::floor(centre + width + 0.5)), from);
    std::vector<double> weight;
    double sum = 0;
    for (std::size_t x = begin; x < end; ++x) {
        weight.push_back(std::max(1 - std::abs((static_cast<double>(x) - centre + 0.5) / width), 0.0));
        sum += weight.back();
    }
    Share share{.first = begin, .weight = {}};
    for (const double each : weight) {
        share.weight.push_back(static_cast<float>(each / sum));
    }
    return share;
}
