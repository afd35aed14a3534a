// SPDX-License-Identifier: Apache-2.0
#include "engines/video/ffmpeg.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <vector>

#include "base/file/spawn.hpp"

namespace tenon {
namespace {

// Many players support only yuv420p in mp4, which halves the resolution of colours, so both sizes must be even.
std::vector<std::string> words_for(const std::filesystem::path& path, FrameSize size, double frames_per_second) {
    std::ostringstream rate;
    rate << frames_per_second;
    std::vector<std::string> words = {
        "ffmpeg",   "-y",       "-loglevel", "error", "-f",
        "rawvideo", "-pix_fmt", "rgb24",     "-s",    std::to_string(size.width) + "x" + std::to_string(size.height),
        "-r",       rate.str(), "-i",        "-"};
    const std::string extension = path.extension().string();
    if (extension != ".gif" && extension != ".avi") {
        words.insert(words.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"});
    }
    if (extension == ".mp4" || extension == ".mov") {
        words.insert(words.end(), {"-movflags", "+faststart"});
    }
    words.push_back("file:" + path.string());  // a path is never an option or an address
    return words;
}

}  // namespace

std::optional<std::filesystem::path> find_ffmpeg() {
    return program_on_path("ffmpeg");
}

Result<Ffmpeg> Ffmpeg::start(const std::filesystem::path& program, const std::filesystem::path& path, FrameSize size,
                             double frames_per_second) {
    Ffmpeg out;
    out.path_ = path;
    // A socket rather than a pipe: writing to a socket without a reader fails without sending a signal to the whole
    // program.
    std::array<int, 2> ends = {-1, -1};
    out.output_ = ::memfd_create("ffmpeg", MFD_CLOEXEC);
    if (out.output_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return environment_problem(std::string("a socket for ffmpeg could not be created: ") + std::strerror(errno));
    }
    out.input_ = ends[0];
    const Result<pid_t> process =
        spawn(program, words_for(path, size, frames_per_second),
              {{ends[1], STDIN_FILENO}, {out.output_, STDOUT_FILENO}, {out.output_, STDERR_FILENO}});
    ::close(ends[1]);
    if (!process) {
        return process.error();
    }
    out.process_ = *process;
    return out;
}

Ffmpeg::~Ffmpeg() {
    if (input_ >= 0) {
        ::close(input_);
    }
    if (process_ != 0) {
        ::kill(process_, SIGKILL);
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (output_ >= 0) {
        ::close(output_);
    }
}

Status Ffmpeg::add(FramePixels frame) {
    while (!frame.empty()) {
        const ssize_t sent = ::send(input_, frame.data(), frame.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return failed();
        }
        frame = frame.subspan(static_cast<std::size_t>(sent));
    }
    return {};
}

Status Ffmpeg::finish() {
    ::close(std::exchange(input_, -1));
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status == 0 ? Status() : Status(failed());
}

// The problem, with the last line that ffmpeg printed.
Problem Ffmpeg::failed() {
    std::array<char, 4096> printed{};
    const off_t size = ::lseek(output_, 0, SEEK_END);
    const off_t begin = size > static_cast<off_t>(printed.size()) ? size - static_cast<off_t>(printed.size()) : 0;
    const ssize_t count = ::pread(output_, printed.data(), printed.size(), begin);
    std::string last;
    std::istringstream lines(std::string(printed.data(), count > 0 ? static_cast<std::size_t>(count) : 0));
    for (std::string line; std::getline(lines, line);) {
        last = line.empty() ? last : line;
    }
    return environment_problem("ffmpeg could not write " + path_.string() + (last.empty() ? "" : ": " + last), {},
                               "name a file that ends in .mp4, or in .png for an animated PNG, which needs no ffmpeg");
}

}  // namespace tenon
