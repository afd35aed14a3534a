// SPDX-License-Identifier: Apache-2.0
#include "isolation/process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/crash.hpp"
#include "plugin/search_path.hpp"

namespace tenon {
namespace {

constexpr int kDescriptor = 3;

std::string how_ended(int status) {
    if (WIFSIGNALED(status)) {
        return "was ended by " + signal_text(WTERMSIG(status));
    }
    if (WEXITSTATUS(status) == kNoMemory) {
        return "had no memory to start";
    }
    if (WEXITSTATUS(status) == kNoLimits) {
        return "could not be limited as [isolation] says";
    }
    return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(int descriptor, const IsolationRules& rules, int output) {
    const std::optional<std::filesystem::path> path = find_program("tenon-worker");
    if (!path) {
        return environment_problem(
            "there is no tenon-worker in " + program_folder().string() + ", which runs plugins in separate processes",
            {}, "put it there, or set TENON_HOME to the folder of an installation");
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
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, kDescriptor);  // last: it may be the output's number
    // In its own process group: Ctrl-C is for the host only, and the worker's children can be ended with it.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    WorkerProcess out;
    const int failure = ::posix_spawn(&out.id_, path->c_str(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        out.id_ = 0;
        return environment_problem(path->string() + " could not be started: " + std::strerror(failure));
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
    ::kill(-id_, SIGKILL);  // its remaining children
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
