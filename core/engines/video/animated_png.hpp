// SPDX-License-Identifier: Apache-2.0
// An animated PNG: a format that browsers and viewers play, and that needs no encoder. A frame holds only the rectangle
// that differs from the frame before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "engines/video/frame.hpp"

namespace tenon {

class AnimatedPng {
public:
    AnimatedPng(std::filesystem::path path, FrameSize size, double frames_per_second);

    // Frames are kept compressed in memory until finish.
    Status add(FramePixels frame);

    [[nodiscard]] std::size_t size() const { return chunks_.size(); }  // of the frames so far, in bytes
    // The content of the file. There must be at least one frame.
    [[nodiscard]] std::string whole() const;
    // Writes the file.
    Status finish() const;

private:
    struct Rectangle {
        std::uint32_t left, top, right, bottom;  // right and bottom are one past the last pixel
    };
    [[nodiscard]] Rectangle changed(FramePixels frame) const;
    [[nodiscard]] Result<std::string> compressed(FramePixels frame, Rectangle part) const;

    std::filesystem::path path_;
    FrameSize size_;
    std::uint16_t milliseconds_;  // per frame
    std::vector<std::uint8_t> last_;
    std::string chunks_;  // of the frames so far
    std::uint32_t frames_ = 0;
    std::uint32_t sequence_ = 0;  // number of the next animation chunk
};

}  // namespace tenon
