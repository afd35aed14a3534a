// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "run/dash/top_screen.hpp"
#include "run/records/lock.hpp"

namespace tenon {
namespace {

// Whether the process has this lock open. Processes of other namespaces or machines may write their own number into it.
bool holds(int process, const std::filesystem::path& lock) {
    std::error_code code;
    const std::filesystem::path files = "/proc/" + std::to_string(process) + "/fd";
    for (std::filesystem::directory_iterator it(files, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        if (std::filesystem::equivalent(it->path(), lock, ignored)) {
            return true;
        }
    }
    return false;
}

}  // namespace

Status stop_run(const WatchedRun& run) {
    if (lock_state(run.info.folder) != LockState::kHeld) {
        return input_problem("the run in " + run.info.folder.string() + " is not running");
    }
    if (run.process <= 1 || !holds(run.process, run.info.folder / "lock")) {
        return input_problem("the process of the run in " + run.info.folder.string() +
                             " is not of this machine or of another user; stop it there with Ctrl-C");
    }
    if (::kill(run.process, SIGINT) != 0) {
        return environment_problem("cannot stop process " + std::to_string(run.process) + ": " + std::strerror(errno));
    }
    return {};
}

}  // namespace tenon
