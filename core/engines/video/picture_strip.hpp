// SPDX-License-Identifier: Apache-2.0
// Some pictures of an episode as an animated PNG in memory, small enough for a file of records: every fourth picture,
// and no more of them than a megabyte or so holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engines/video/animated_png.hpp"
#include "engines/video/frame.hpp"

namespace tenon {

class PictureStrip {
public:
    PictureStrip(FrameSize size, double frames_per_second) : size_(size), png_({}, size, frames_per_second / kEvery) {}

    // Compares and compresses a picture that it takes.
    Status add(FramePixels frame) {
        return seen_++ % kEvery == 0 && png_.size() < kMostBytes ? png_.add(frame) : Status();
    }

    [[nodiscard]] FrameSize size() const { return size_; }
    // There must have been a picture.
    [[nodiscard]] std::string whole() const { return png_.whole(); }

private:
    static constexpr std::uint32_t kEvery = 4;
    static constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

    FrameSize size_;
    AnimatedPng png_;
    std::uint32_t seen_ = 0;
};

}  // namespace tenon
