// SPDX-License-Identifier: Apache-2.0
#include "shared/pictures/picture_file.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/file/atomic.hpp"
#include "base/file/spawn.hpp"
#include "base/file/sync.hpp"

namespace tenon {
namespace {

constexpr const char* kProgram = "rsvg-convert";

bool is_png(const std::filesystem::path& path) {
    return path.extension() == ".png";
}

std::string content_of(const FileDescriptor& file) {
    std::string out;
    std::array<char, 4096> block{};
    for (ssize_t got = 1; got > 0;) {
        got = ::pread(file.get(), block.data(), block.size(), static_cast<off_t>(out.size()));
        out.append(block.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return out;
}

Result<std::string> to_png(const std::filesystem::path& program, const std::string& svg) {
    const FileDescriptor input(::memfd_create("picture.svg", MFD_CLOEXEC));
    const FileDescriptor output(::memfd_create("picture.png", MFD_CLOEXEC));
    const FileDescriptor errors(::memfd_create("errors", MFD_CLOEXEC));
    const bool made = input.get() >= 0 && output.get() >= 0 && errors.get() >= 0;
    if (!made || ::write(input.get(), svg.data(), svg.size()) != static_cast<ssize_t>(svg.size()) ||
        ::lseek(input.get(), 0, SEEK_SET) != 0) {
        return environment_problem(std::string("there is no memory for a picture: ") + std::strerror(errno));
    }
    const pid_t process =
        TENON_TRY(spawn(program, {kProgram, "--zoom=2", "--format=png"},
                        {{input.get(), STDIN_FILENO}, {output.get(), STDOUT_FILENO}, {errors.get(), STDERR_FILENO}}));
    int ending = 0;
    while (::waitpid(process, &ending, 0) < 0 && errno == EINTR) {
    }
    std::string png = content_of(output);
    if (ending != 0 || !png.starts_with("\x89PNG")) {
        const std::string said = content_of(errors);
        return environment_problem(program.string() + " could not convert a picture to PNG" +
                                   (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))));
    }
    return png;
}

}  // namespace

Status check_picture(const std::filesystem::path& path) {
    if (!is_png(path) && path.extension() != ".svg") {
        return input_problem("a picture is written as .svg or .png, not as '" + path.string() + "'");
    }
    if (is_png(path) && !program_on_path(kProgram)) {
        return environment_problem("PNG needs the program rsvg-convert, which is not installed", {},
                                   "install it (Debian: librsvg2-bin), or write " +
                                       std::filesystem::path(path).replace_extension(".svg").string());
    }
    return {};
}

Status write_picture(const std::filesystem::path& path, const std::string& svg) {
    if (Status possible = check_picture(path); !possible || !is_png(path)) {
        return possible ? write_file(path, svg) : possible;
    }
    const Result<std::string> png = to_png(*program_on_path(kProgram), svg);
    return png ? write_file(path, *png) : Status(png.error());
}

}  // namespace tenon
