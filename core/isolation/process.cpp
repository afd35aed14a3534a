// SPDX-License-Identifier: Apache-2.0
#include "isolation/process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/crash.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr int kDescriptor = 3;

// Beside this program, in the bin beside its folder, or in that of an installation that TENON_HOME names.
Result<std::string> program() {
    std::error_code failure;
    const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
    std::vector<fs::path> places = {folder, folder.parent_path() / "bin"};
    if (const char* const home = std::getenv("TENON_HOME"); home != nullptr && *home != '\0') {
        places.push_back(fs::path(home) / "bin");
    }
    for (const fs::path& place : places) {
        if (fs::exists(place / "tenon-worker", failure)) {
            return (place / "tenon-worker").string();
        }
    }
    return environment_problem(
        "there is no tenon-worker in " + folder.string() + ", which runs plugins in processes of their own", {},
        "put it there, or set TENON_HOME to the folder of an installation");
}

std::string how_ended(int status) {
    if (WIFSIGNALED(status)) {
        return "was ended by " + signal_text(WTERMSIG(status));
    }
    if (WEXITSTATUS(status) == kNoMemory) {
        return "had no memory to begin with";
    }
    if (WEXITSTATUS(status) == kNoLimits) {
        return "could not be limited as [isolation] says";
    }
    return "ended by itself with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(int descriptor, const IsolationRules& rules, int output) {
    Result<std::string> path = program();
    if (!path) {
        return std::move(path.error());
    }
    std::vector<std::string> words = {"tenon-worker", std::to_string(kDescriptor), std::to_string(rules.memory_mb),
                                      std::to_string(rules.processor_s), rules.network ? "1" : "0"};
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, kDescriptor);  // last: it may be where the output is
    // A group of its own: Ctrl-C is for the host to hear, and what the worker starts can be ended with it.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    WorkerProcess out;
    const int failure = ::posix_spawn(&out.id_, path->c_str(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        out.id_ = 0;
        return environment_problem(*path + " could not be started: " + std::strerror(failure));
    }
    return out;
}

WorkerProcess::~WorkerProcess() {
    kill();
}

std::optional<std::string> WorkerProcess::ended() {
    if (id_ == 0) {
        return "has ended";
    }
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) != id_) {
        return std::nullopt;
    }
    ::kill(-id_, SIGKILL);  // what it has started and left behind
    id_ = 0;
    signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return how_ended(status);
}

void WorkerProcess::kill() {
    if (id_ == 0) {
        return;
    }
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
}

}  // namespace tenon
