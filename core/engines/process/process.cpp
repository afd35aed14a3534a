// SPDX-License-Identifier: Apache-2.0
#include "engines/process/process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file/lifeline.hpp"
#include "base/file/spawn.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/search_path.hpp"

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
    if (WEXITSTATUS(status) == kUntied) {
        return "could not be tied to the process that started it";
    }
    if (WEXITSTATUS(status) == kLostConnection) {
        return "lost its connection";
    }
    return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(int descriptor, const IsolationRules& rules, int output) {
    return start(descriptor,
                 {std::to_string(rules.memory_mb), std::to_string(rules.processor_s), rules.network ? "1" : "0"},
                 output);
}

Result<WorkerProcess> WorkerProcess::start(int descriptor, const std::vector<std::string>& more, int output,
                                           int stream) {
    const std::filesystem::path path = installed_folder() / "tenon-worker";
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return environment_problem(
            "there is no tenon-worker in " + installed_folder().string() + ", which runs plugins in separate processes",
            {}, "put it there, or set TENON_HOME to the folder of an installation");
    }
    std::vector<std::string> words = {"tenon-worker", std::to_string(kDescriptor)};
    words.insert(words.end(), more.begin(), more.end());
    Lifeline lifeline = TENON_TRY(make_lifeline());
    const pid_t id = TENON_TRY(
        spawn(path, std::move(words),
              {{output, STDOUT_FILENO},
               {output, STDERR_FILENO},
               {descriptor, kDescriptor},
               {lifeline.given.get(), kWorkerLifeline},
               {stream >= 0 ? stream : lifeline.given.get(), stream >= 0 ? kWorkerStream : kWorkerLifeline}}));
    WorkerProcess out;
    out.id_ = id;
    out.lifeline_ = std::move(lifeline.held);
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
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
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
