// SPDX-License-Identifier: Apache-2.0
// A rectangle of an image, and how to cut it out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "images/image_layout.hpp"

struct ImageWindow {
    ImageLayout from;
    std::size_t height = 0;
    std::size_t width = 0;

    [[nodiscard]] std::size_t rows_left() const { return from.height - height; }
    [[nodiscard]] std::size_t columns_left() const { return from.width - width; }

    void cut(std::span<const std::byte> in, std::span<std::byte> out, std::size_t top, std::size_t left) const {
        const std::size_t pixel = out.size() / (from.planes * height * width);
        for (std::size_t plane = 0; plane < from.planes; ++plane) {
            for (std::size_t y = 0; y < height; ++y) {
                const std::size_t first = (plane * from.height + top + y) * from.width + left;
                std::ranges::copy(in.subspan(first * pixel, width * pixel),
                                  out.subspan((plane * height + y) * width * pixel).begin());
            }
        }
    }
};

// Throws if the column is no image, or a smaller one.
inline ImageWindow image_window(const tenon::Spec& spec, std::string_view layout, std::int64_t height,
                                std::int64_t width) {
    const ImageWindow out{.from = image_layout(spec, layout),
                          .height = static_cast<std::size_t>(height),
                          .width = static_cast<std::size_t>(width)};
    if (out.height > out.from.height || out.width > out.from.width) {
        throw tenon::InvalidArgument("column '" + spec.key + "' has images of " + std::to_string(out.from.height) +
                                     " x " + std::to_string(out.from.width) + " pixels, too small for " +
                                     std::to_string(height) + " x " + std::to_string(width));
    }
    return out;
}

inline tenon::Spec windowed(tenon::Spec spec, const ImageWindow& window) {
    spec.shape[window.from.height_axis] = static_cast<std::int64_t>(window.height);
    spec.shape[window.from.height_axis + 1] = static_cast<std::int64_t>(window.width);
    mix_bounds(spec);
    return spec;
}
