// SPDX-License-Identifier: Apache-2.0
#include "commands/check/child.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "base/file/lifeline.hpp"
#include "commands/check/guarded.hpp"
#include "commands/check/headers.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/last_call.hpp"

namespace tenon {
namespace {

constexpr int kLate = 97;

enum class Phase : int { kRunning, kAnswered, kTimedOut };

template <std::size_t N>
void put(std::array<char, N>& to, std::string_view text) {
    const std::size_t taken = std::min(text.size(), N - 1);
    std::copy_n(text.begin(), taken, to.begin());
    to[taken] = '\0';
}

// Shared memory of both processes. A signal handler writes to it, so it consists of plain bytes.
struct Answer {
    std::atomic<int> phase{0};
    int outcome = 0;
    std::array<char, 128> function{};  // of the plugin, if the child ended inside it
    std::array<char, 16> side{};       // of the guarded memory that was touched
    std::array<char, 64> memory{};
    std::array<char, 128> tried{};  // by the check, " when 'action' was -1"
    std::array<char, 256> breaks{};
    std::array<char, 8192> sentence{};
};

Answer* answer = nullptr;

void note_call() {
    keep_current_call(answer->function);
}

void on_signal(int signal, siginfo_t* info, void*) {
    note_call();
    if (signal == SIGALRM) {
        answer->phase.store(static_cast<int>(Phase::kTimedOut));
        _exit(kLate);
    }
    if (signal == SIGSEGV || signal == SIGBUS) {
        const GuardedMemory::Hit hit = GuardedMemory::hit(info->si_addr);
        put(answer->side, hit.side);
        put(answer->memory, hit.name);
    }
    end_by(signal);
}

void store(const Verdict& verdict) {
    answer->outcome = static_cast<int>(verdict.outcome);
    put(answer->breaks, verdict.breaks);
    put(answer->sentence, verdict.sentence);
    answer->phase.store(static_cast<int>(Phase::kAnswered));
}

[[noreturn]] void be_child(const std::function<Verdict()>& body, const ChildRules& rules, int output, int lifeline) {
    ::setpgid(0, 0);  // so that its children can be killed with it
    if (!end_with_starter(lifeline)) {
        _exit(static_cast<int>(Fault::kEnvironment));
    }
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    std::atexit(note_call);
    handle_last_signals(on_signal, rules.seconds);
    Verdict verdict;
    try {
        verdict = body();
    } catch (const std::bad_alloc&) {
        verdict = failed("there is not enough memory for the check");
    } catch (const std::exception& error) {
        verdict = failed(std::string("the check itself failed: ") + error.what());
    }
    store(verdict);
    if (rules.ends_by_exit) {
        std::exit(0);
    }
    _exit(0);
}

// Waits for the child to end, a little longer than its own time limit.
int wait_for(pid_t child, double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds + 1);
    int status = 0;
    auto pause = std::chrono::microseconds(100);
    while (true) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            break;
        }
        if (std::chrono::steady_clock::now() > end) {
            answer->phase.store(static_cast<int>(Phase::kTimedOut));
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            break;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
    ::kill(-child, SIGKILL);  // its remaining children
    return status;
}

std::string in_function() {
    return (answer->function[0] == '\0' ? "" : " in " + std::string(answer->function.data())) + answer->tried.data();
}

// Describes an abnormal end of the child; empty after a normal end.
std::string bad_end(int status, double seconds) {
    const auto phase = static_cast<Phase>(answer->phase.load());
    if (phase == Phase::kTimedOut) {
        std::array<char, 32> limit{};
        std::snprintf(limit.data(), limit.size(), "%g", seconds);
        return "it did not finish within " + std::string(limit.data()) + " s" +
               (answer->function[0] == '\0' ? "" : "; the last call was " + std::string(answer->function.data()));
    }
    if (WIFSIGNALED(status)) {
        const std::string where = phase == Phase::kAnswered ? " while the process ended" : in_function();
        std::string text = "it crashed" + where + " (" + signal_text(WTERMSIG(status)) + ")";
        const std::string side = answer->side.data();
        const std::string memory = answer->memory.data();
        if (side == "in") {
            text += ": it touched " + memory + ", which is on the device, outside of a kernel";
        } else if (!memory.empty()) {
            text += ": it touched memory " + side + " " + memory;
        }
        return text;
    }
    if (phase == Phase::kRunning) {
        return "it ended the process with exit code " + std::to_string(WEXITSTATUS(status)) + in_function();
    }
    return WEXITSTATUS(status) == 0 ? ""
                                    : "the process ended with exit code " + std::to_string(WEXITSTATUS(status)) +
                                          " after the check was done";
}

Verdict judge(int status, const ChildRules& rules, std::FILE* output) {
    const std::string wrong = bad_end(status, rules.seconds);
    if (wrong.empty()) {
        return {static_cast<CheckOutcome>(answer->outcome), answer->sentence.data(), answer->breaks.data()};
    }
    const std::string said = last_line(::fileno(output));
    const std::string function = answer->function.data();
    return failed(wrong + (said.empty() ? "" : "; its last output was: " + said),
                  function.empty() ? "" : promised_in(rules.kind, function));
}

}  // namespace

void now_trying(std::string_view what) {
    put(answer->tried, what);
}

Verdict run_in_child(const std::function<Verdict()>& body, const ChildRules& rules) {
    void* const shared = ::mmap(nullptr, sizeof(Answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(std::tmpfile(), std::fclose);
    const Result<Lifeline> lifeline = make_lifeline();
    if (shared == MAP_FAILED || output == nullptr || !lifeline) {
        return failed("the check could not start: there is no memory or no temporary file for it");
    }
    answer = new (shared) Answer;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        be_child(body, rules, ::fileno(output.get()), lifeline->given.get());
    }
    const Verdict verdict = child < 0 ? failed("the check could not start: the system cannot create another process")
                                      : judge(wait_for(child, rules.seconds), rules, output.get());
    ::munmap(shared, sizeof(Answer));
    answer = nullptr;
    return verdict;
}

}  // namespace tenon
