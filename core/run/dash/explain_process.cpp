// SPDX-License-Identifier: Apache-2.0
#include "run/dash/explain_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/file/spawn.hpp"
#include "base/file/sync.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr auto kPatience = std::chrono::seconds(30);

bool ends_in_time(pid_t child) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (::waitpid(child, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > until) {
            ::kill(-child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

}  // namespace

std::string explained_by_process(const std::filesystem::path& program, const std::filesystem::path& run) {
    const FileDescriptor output(::memfd_create("explained", MFD_CLOEXEC));
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::string manifest = (run / "manifest.lock.toml").string();
    const Result<pid_t> child =
        spawn(program, {"tenon", "explain", manifest},
              {{nothing.get(), STDIN_FILENO}, {output.get(), STDOUT_FILENO}, {output.get(), STDERR_FILENO}});
    if (!child) {
        return child.error().sentence;
    }
    if (!ends_in_time(*child)) {
        return "`tenon explain " + manifest + "` did not end in time";
    }
    std::string text(kMostBytes, '\0');
    const ssize_t got = ::pread(output.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

}  // namespace tenon
