// SPDX-License-Identifier: Apache-2.0
#include "engines/video/video_file.hpp"

#include <utility>

namespace tenon {

std::filesystem::path VideoFile::path_of(std::filesystem::path asked) {
    if (asked.extension() != ".png" && asked.extension() != ".apng" && !find_ffmpeg()) {
        asked.replace_extension(".png");
    }
    return asked;
}

Result<VideoFile> VideoFile::begin(std::filesystem::path path, FrameSize size, double frames_per_second) {
    std::error_code code;
    if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), code)) {
        return input_problem("there is no folder " + path.parent_path().string() + " for the video " + path.string());
    }
    path = path_of(std::move(path));
    if (path.extension() != ".png" && path.extension() != ".apng") {
        Ffmpeg started = TENON_TRY(Ffmpeg::start(find_ffmpeg().value_or("ffmpeg"), path, size, frames_per_second));
        return VideoFile(std::move(path), std::move(started));
    }
    AnimatedPng png(path, size, frames_per_second);
    return VideoFile(std::move(path), std::move(png));
}

Status VideoFile::add(FramePixels frame) {
    return std::visit([&](auto& writer) { return writer.add(frame); }, writer_);
}

Status VideoFile::finish() {
    return std::visit([](auto& writer) { return writer.finish(); }, writer_);
}

}  // namespace tenon
