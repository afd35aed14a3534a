// SPDX-License-Identifier: Apache-2.0
// A video that the program ffmpeg writes: a child process that gets raw frames on its standard input. The host does not
// link ffmpeg.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error/result.hpp"
#include "engines/video/frame.hpp"

namespace tenon {

// The program of that name in PATH.
std::optional<std::filesystem::path> find_ffmpeg();

class Ffmpeg {
public:
    // The format is that of the path's extension.
    static Result<Ffmpeg> start(const std::filesystem::path& program, const std::filesystem::path& path, FrameSize size,
                                double frames_per_second);
    Ffmpeg(Ffmpeg&& other) noexcept
        : process_(std::exchange(other.process_, 0)),
          input_(std::exchange(other.input_, -1)),
          output_(std::exchange(other.output_, -1)),
          path_(std::move(other.path_)) {}
    Ffmpeg& operator=(Ffmpeg&&) = delete;
    ~Ffmpeg();  // ends the process if it was not finished

    Status add(FramePixels frame);

    // Waits until the file is written.
    Status finish();

private:
    Ffmpeg() = default;
    Problem failed();

    pid_t process_ = 0;  // 0: none
    int input_ = -1;     // our end of the socket that is its standard input
    int output_ = -1;    // a file in memory with its messages
    std::filesystem::path path_;
};

}  // namespace tenon
