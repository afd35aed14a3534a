// SPDX-License-Identifier: Apache-2.0
#include "run/video/video_file.hpp"

#include <optional>
#include <utility>

namespace tenon {

Result<VideoFile> VideoFile::begin(std::filesystem::path path, FrameSize size, double frames_per_second) {
    std::error_code code;
    if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), code)) {
        return input_problem("there is no folder " + path.parent_path().string() + " for the video " + path.string());
    }
    if (path.extension() != ".png" && path.extension() != ".apng") {
        if (const std::optional<std::filesystem::path> ffmpeg = find_ffmpeg()) {
            Result<Ffmpeg> started = Ffmpeg::start(*ffmpeg, path, size, frames_per_second);
            return started ? Result(VideoFile(std::move(path), std::move(*started))) : std::move(started).error();
        }
        path.replace_extension(".png");
    }
    AnimatedPng png(path, size, frames_per_second);
    return VideoFile(std::move(path), std::move(png));
}

Status VideoFile::add(FramePixels frame) {
    if (auto* const png = std::get_if<AnimatedPng>(&writer_)) {
        png->add(frame);
        return {};
    }
    return std::get<Ffmpeg>(writer_).add(frame);
}

Status VideoFile::finish() {
    return std::visit([](auto& writer) { return writer.finish(); }, writer_);
}

}  // namespace tenon
