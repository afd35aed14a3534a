// SPDX-License-Identifier: Apache-2.0
#include "commands/top/ask_run.hpp"

#include <signal.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "folder/records/lock.hpp"

namespace tenon {
namespace {

// Whether the process has this lock open. (A process of another namespace or machine may have written its own number
// into it.)
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

Status check_is_ours(const WatchedRun& run) {
    if (lock_state(run.info.folder) != LockState::kHeld) {
        return input_problem("the run in " + run.info.folder.string() + " is not running");
    }
    if (run.process <= 1 || !holds(run.process, run.info.folder / "lock")) {
        return input_problem("the process of the run in " + run.info.folder.string() +
                             " runs on another machine, or belongs to another user; stop it there with Ctrl-C");
    }
    return {};
}

Problem cannot(const char* what, const WatchedRun& run) {
    return environment_problem(std::string("cannot ") + what + " process " + std::to_string(run.process) + ": " +
                               std::strerror(errno));
}

// Whether the run evaluates; runs of a manifest without [eval] do not.
bool evaluates(const WatchedRun& run) {
    for (const char* key : {"eval.every_frames", "eval.every_updates"}) {
        const std::string every = plain_value(run.info.values, key);
        if (!every.empty() && every != "0") {
            return true;
        }
    }
    return false;
}

}  // namespace

Status stop_run(const WatchedRun& run) {
    TENON_TRY(check_is_ours(run));
    return ::kill(run.process, SIGINT) == 0 ? Status() : Status(cannot("stop", run));
}

Status ask_run(const WatchedRun& run, const AskedOfRun& request) {
    TENON_TRY(check_is_ours(run));
    if (request.evaluate && !evaluates(run)) {
        return input_problem("the run in " + run.info.folder.string() + " has no evaluations: its eval.every_" +
                             (run.info.counts_updates ? "updates" : "frames") + " is 0");
    }
    switch (send_request(run.process, request)) {
        case Sent::kSent:
            return {};
        case Sent::kNotTaken:
            return input_problem("the run in " + run.info.folder.string() +
                                 " takes no requests yet: it is still starting, or of an earlier version");
        case Sent::kFailed:
            break;
    }
    return cannot("ask", run);
}

}  // namespace tenon
