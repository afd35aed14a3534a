// SPDX-License-Identifier: Apache-2.0
// A video in a file: an animated PNG, or whatever format ffmpeg knows by the file's extension.
#pragma once

#include <filesystem>
#include <variant>

#include "base/error/result.hpp"
#include "engines/video/animated_png.hpp"
#include "engines/video/ffmpeg.hpp"
#include "engines/video/frame.hpp"

namespace tenon {

class VideoFile {
public:
    // The file that is written if this one is asked for. One that ends in .png or .apng is an animated PNG. Without
    // ffmpeg, any other one is replaced by one that ends in .png.
    static std::filesystem::path path_of(std::filesystem::path asked);

    static Result<VideoFile> begin(std::filesystem::path path, FrameSize size, double frames_per_second);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    Status add(FramePixels frame);
    Status finish();

private:
    using Writer = std::variant<AnimatedPng, Ffmpeg>;
    VideoFile(std::filesystem::path path, Writer writer) : path_(std::move(path)), writer_(std::move(writer)) {}

    std::filesystem::path path_;
    Writer writer_;
};

}  // namespace tenon
