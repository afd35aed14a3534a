// SPDX-License-Identifier: Apache-2.0
// One picture of a video.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon {

struct FrameSize {
    std::uint32_t height = 0;
    std::uint32_t width = 0;

    [[nodiscard]] std::size_t bytes() const { return std::size_t{3} * height * width; }
};

// [height][width][3]: red, green and blue, from the top row down. Borrowed.
using FramePixels = std::span<const std::uint8_t>;

}  // namespace tenon
