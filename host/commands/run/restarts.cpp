// SPDX-License-Identifier: Apache-2.0
#include "commands/run/restarts.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/spawn.hpp"
#include "base/log/log.hpp"
#include "folder/records/folder.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

// A process that has ended before it began its run may find what it lacks a moment later, such as a port.
constexpr timespec kPause{.tv_sec = 1, .tv_nsec = 0};

// A variable of a process that is restarted when it dies.
constexpr const char* kIsRestarted = "TENON_IS_RESTARTED";

// The words of `tenon run` that begin the run, or continue it in its folder.
std::vector<std::string> words_of(const CommandLine& line, const std::string& folder) {
    std::vector<std::string> words = {"tenon", "run"};
    const auto add = [&](const char* name, const std::string& value) {
        words.push_back("--" + std::string(name) + "=" + value);
    };
    const bool resumes = check_holds_run(folder).has_value();
    const std::vector<std::string> positional = line.texts("manifest");
    if (!resumes || positional.size() == 1) {  // an algorithm and an env are in the run's manifest
        words.insert(words.end(), positional.begin(), positional.end());
    }
    add(resumes ? "resume" : "out", folder);
    for (const char* const name : {"set", "change", "plugins"}) {
        for (const std::string& value : line.texts(name)) {
            add(name, value);
        }
    }
    for (const char* const name : {"seed", "leave-at-frames", "leave-at-updates"}) {
        if (line.has(name)) {
            add(name, std::to_string(*line.integer(name)));
        }
    }
    for (const char* const name : {"dump-graph", "trace", "log-level"}) {
        if (line.has(name)) {
            add(name, line.text(name));
        }
    }
    for (const char* const name : {"profile", "quiet", "json"}) {
        if (line.has(name)) {
            words.push_back("--" + std::string(name));
        }
    }
    return words;
}

sigset_t handled_signals() {
    sigset_t out;
    sigemptyset(&out);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
        sigaddset(&out, signal);
    }
    return out;
}

// The process has its own group, so that a signal for the terminal's group reaches it once, from this process. If this
// one dies, it writes a checkpoint and leaves.
Result<pid_t> start(std::vector<std::string> words, const sigset_t& former) {
    const std::vector<char*> arguments = exec_words(words);
    const std::string program = program_to_start_again().string();
    const pid_t starter = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return environment_problem(std::string("the run's process could not be started: ") + std::strerror(errno));
    }
    if (child > 0) {
        return child;
    }
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::sigprocmask(SIG_SETMASK, &former, nullptr);
    if (::getppid() == starter) {  // it has not died before
        ::execv(program.c_str(), arguments.data());
    }
    ::_exit(static_cast<int>(Fault::kEnvironment));
}

// Waits for the end of the process, and passes signals on to it. `stops`: whether one has asked it to stop.
int await_end(pid_t child, const sigset_t& handled, bool& stops) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) != child) {
        const int signal = ::sigwaitinfo(&handled, nullptr);
        if (signal > 0 && signal != SIGCHLD) {
            stops = true;
            ::kill(child, signal);
        }
    }
    return status;
}

std::string how_ended(int status) {
    if (WIFEXITED(status)) {
        return "ended by exit code " + std::to_string(WEXITSTATUS(status));
    }
    const char* const name = ::sigabbrev_np(WTERMSIG(status));
    return "was ended by " +
           (name == nullptr ? "signal " + std::to_string(WTERMSIG(status)) : "SIG" + std::string(name));
}

// Whether another attempt can go better: mistakes of a person or a plugin would come again.
bool may_go_better(int status) {
    return WIFSIGNALED(status) || WEXITSTATUS(status) == static_cast<int>(Fault::kEnvironment);
}

}  // namespace

bool is_restarted() {
    return std::getenv(kIsRestarted) != nullptr;
}

int run_with_restarts(const CommandLine& line) {
    const std::int64_t restarts = *line.integer("restarts");
    const std::string folder = line.text(line.has("resume") ? "resume" : "out");
    if (restarts < 0) {
        return report(input_problem("--restarts is " + std::to_string(restarts) + ", but must be 0 or more"));
    }
    if (folder.empty()) {
        return report(input_problem("--restarts needs the folder in which the run begins again; give --out DIR"));
    }
    if (line.has("from")) {
        return report(input_problem(
            "--restarts excludes --from: a run that ends before its first checkpoint begins without these weights"));
    }
    const sigset_t handled = handled_signals();
    sigset_t former;
    ::sigprocmask(SIG_BLOCK, &handled, &former);
    bool stops = false;
    for (std::int64_t done = 0;; ++done) {
        const bool begun = check_holds_run(folder).has_value();
        if (done < restarts) {
            ::setenv(kIsRestarted, "1", 1);
        } else {
            ::unsetenv(kIsRestarted);
        }
        const Result<pid_t> child = start(words_of(line, folder), former);
        if (!child) {
            return report(child.error());
        }
        const int status = await_end(*child, handled, stops);
        if (stops || done == restarts || !may_go_better(status)) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        const bool begins = !check_holds_run(folder).has_value();
        // A process that has exited has printed its problem.
        log(WIFEXITED(status) ? Level::kInfo : Level::kWarning,
            "restart " + std::to_string(done + 1) + " of " + std::to_string(restarts) +
                (begins ? " begins the run" : " continues the run in " + folder) + ": its process " +
                how_ended(status));
        if (begins && !begun) {
            ::nanosleep(&kPause, nullptr);
        }
    }
}

}  // namespace tenon::host
