// SPDX-License-Identifier: Apache-2.0
// A picture in another size, and in channels instead of pixels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// The part of a pixel `at` that [low, high) covers.
inline double covered(std::size_t at, double low, double high) {
    return std::max(0.0, std::min(high, static_cast<double>(at + 1)) - std::max(low, static_cast<double>(at)));
}

// To nearest, halves up: as lround does, whose calls would take a third of the time. `value` is not negative.
inline std::uint8_t nearest(double value) {
    const auto below = static_cast<int>(value);
    return static_cast<std::uint8_t>(below + (value - below >= 0.5 ? 1 : 0));
}

// from: [rows][columns][3]; to: [1 or 3][height][width], the mean over what each pixel covers, rounded to nearest. Grey
// is the brightness by ITU-R BT.601.
inline void shrink(std::span<const std::uint8_t> from, std::size_t rows, std::size_t columns,
                   std::span<std::uint8_t> to, std::size_t height, std::size_t width, bool grey) {
    const double tall = static_cast<double>(rows) / static_cast<double>(height);
    const double wide = static_cast<double>(columns) / static_cast<double>(width);
    for (std::size_t y = 0; y < height; ++y) {
        const double top = static_cast<double>(y) * tall;
        for (std::size_t x = 0; x < width; ++x) {
            const double left = static_cast<double>(x) * wide;
            std::array<double, 3> sum = {};
            double area = 0;
            for (auto i = static_cast<std::size_t>(top); i < rows && static_cast<double>(i) < top + tall; ++i) {
                const double share = covered(i, top, top + tall);
                for (auto j = static_cast<std::size_t>(left); j < columns && static_cast<double>(j) < left + wide;
                     ++j) {
                    const double weight = share * covered(j, left, left + wide);
                    const std::uint8_t* const pixel = &from[3 * (i * columns + j)];
                    for (std::size_t c = 0; c < 3; ++c) {
                        sum[c] += weight * pixel[c];
                    }
                    area += weight;
                }
            }
            const std::size_t at = y * width + x;
            if (grey) {
                to[at] = nearest((0.299 * sum[0] + 0.587 * sum[1] + 0.114 * sum[2]) / area);
                continue;
            }
            for (std::size_t c = 0; c < 3; ++c) {
                to[c * height * width + at] = nearest(sum[c] / area);
            }
        }
    }
}
