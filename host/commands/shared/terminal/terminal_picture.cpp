// SPDX-License-Identifier: Apache-2.0
#include "shared/terminal/terminal_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tenon {
namespace {

using Colour = std::array<std::uint32_t, 3>;

struct Scaled {
    FramePixels frame;
    FrameSize from;
    FrameSize to;

    // The mean of the pixels that this one covers.
    [[nodiscard]] Colour at(std::uint32_t row, std::uint32_t column) const {
        const auto place = [](std::uint32_t i, std::uint32_t small, std::uint32_t large) {
            return static_cast<std::uint32_t>(std::uint64_t{i} * large / small);
        };
        const std::uint32_t top = place(row, to.height, from.height), left = place(column, to.width, from.width);
        const std::uint32_t bottom = std::max(top + 1, place(row + 1, to.height, from.height));
        const std::uint32_t right = std::max(left + 1, place(column + 1, to.width, from.width));
        Colour sum{};
        for (std::uint32_t y = top; y < bottom; ++y) {
            for (std::uint32_t x = left; x < right; ++x) {
                for (std::size_t i = 0; i < 3; ++i) {
                    sum[i] += frame[(std::size_t{y} * from.width + x) * 3 + i];
                }
            }
        }
        const std::uint32_t count = (bottom - top) * (right - left);
        return {sum[0] / count, sum[1] / count, sum[2] / count};
    }
};

void put_colour(std::string& out, int ground, const Colour& colour) {
    out += "\x1b[" + std::to_string(ground) + ";2;" + std::to_string(colour[0]) + ';' + std::to_string(colour[1]) +
           ';' + std::to_string(colour[2]) + 'm';
}

}  // namespace

std::string terminal_picture(FramePixels frame, FrameSize size, std::uint32_t columns, std::uint32_t lines) {
    const double scale = std::min({1.0, static_cast<double>(columns) / size.width, 2.0 * lines / size.height});
    const auto scaled = [scale](std::uint32_t pixels) {
        return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::floor(scale * pixels)));
    };
    const Scaled picture{frame, size, {.height = scaled(size.height), .width = scaled(size.width)}};
    std::string out;
    for (std::uint32_t row = 0; row < picture.to.height; row += 2) {
        for (std::uint32_t column = 0; column < picture.to.width; ++column) {
            put_colour(out, 38, picture.at(row, column));
            if (row + 1 < picture.to.height) {
                put_colour(out, 48, picture.at(row + 1, column));
            }
            out += "▀";
        }
        out += "\x1b[0m\n";
    }
    return out;
}

}  // namespace tenon
