// SPDX-License-Identifier: Apache-2.0
// A rectangle of an image, and how to cut it out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "images/image_layout.hpp"

struct ImageWindow {
    ImageLayout from;
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t pad = 0;  // how far it may reach beyond each edge; pixels of the edge are repeated

    // How many rows and columns of the padded image are outside of it.
    [[nodiscard]] std::size_t rows_left() const { return from.height + 2 * pad - height; }
    [[nodiscard]] std::size_t columns_left() const { return from.width + 2 * pad - width; }

    // top, left: in the padded image. `in` and `out` may be the same memory, as they are if their sizes are the same: a
    // row is read before it is written, and the pixel that is repeated at an edge stays in its place.
    void cut(std::span<const std::byte> in, std::span<std::byte> out, std::size_t top, std::size_t left) const {
        const std::size_t pixel = out.size() / (from.planes * height * width);
        const std::size_t before = std::min(pad - std::min(left, pad), width);  // columns that repeat the first one
        const std::size_t first = std::max(left, pad) - pad;
        const std::size_t inside = std::min(from.width - std::min(first, from.width), width - before);
        for (std::size_t i = 0; i < from.planes * height; ++i) {
            const std::size_t plane = i / height;
            const std::size_t row = top >= pad ? i % height : height - 1 - i % height;
            const std::size_t y = std::clamp(top + row, pad, pad + from.height - 1) - pad;
            const std::byte* const source = in.data() + (plane * from.height + y) * from.width * pixel;
            std::byte* const to = out.data() + (plane * height + row) * width * pixel;
            std::memmove(to + before * pixel, source + first * pixel, inside * pixel);
            for (std::size_t x = 0; x < before; ++x) {
                std::memmove(to + x * pixel, source, pixel);
            }
            for (std::size_t x = before + inside; x < width; ++x) {
                std::memmove(to + x * pixel, source + (from.width - 1) * pixel, pixel);
            }
        }
    }
};

// Throws if the column is no image, or a smaller one.
inline ImageWindow image_window(const tenon::Spec& spec, std::string_view layout, std::int64_t height,
                                std::int64_t width, std::int64_t pad = 0) {
    const ImageWindow out{.from = image_layout(spec, layout),
                          .height = static_cast<std::size_t>(height),
                          .width = static_cast<std::size_t>(width),
                          .pad = static_cast<std::size_t>(pad)};
    if (out.height > out.from.height + 2 * out.pad || out.width > out.from.width + 2 * out.pad) {
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
