// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/explain_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "base/file/spawn.hpp"
#include "base/file/sync.hpp"
#include "base/json/write.hpp"
#include "commands/dash/run_files.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr auto kPatience = std::chrono::seconds(30);

// The child's status; nothing if it had to be killed.
std::optional<int> status_in_time(pid_t child) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > until) {
            ::kill(-child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return status;
}

std::string text_of(const FileDescriptor& file) {
    std::string text(kMostBytes, '\0');
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

std::string problem(std::string_view text) {
    std::string out;
    JsonWriter(out).begin_object().key("problem").text(text).end_object();
    return out;
}

}  // namespace

std::string explained_by_process(const std::filesystem::path& program, const std::filesystem::path& run) {
    const FileDescriptor output(::memfd_create("explained", MFD_CLOEXEC));
    const FileDescriptor errors(::memfd_create("errors", MFD_CLOEXEC));
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::string manifest = (run / "manifest.lock.toml").string();
    const Result<pid_t> child =
        spawn(program, {"tenon", "explain", manifest, "--json"},
              {{nothing.get(), STDIN_FILENO}, {output.get(), STDOUT_FILENO}, {errors.get(), STDERR_FILENO}});
    if (!child) {
        return problem(child.error().sentence);
    }
    const std::optional<int> status = status_in_time(*child);
    if (!status) {
        return problem("`tenon explain " + manifest + "` did not end in time");
    }
    return *status == 0 ? text_of(output) : problem(as_text(text_of(errors)));
}

}  // namespace tenon
