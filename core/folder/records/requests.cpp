// SPDX-License-Identifier: Apache-2.0
#include "folder/records/requests.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace tenon {
namespace {

// The number that is sent with the signal: this one, or a log level after kLevels.
constexpr int kEvaluate = 1;
constexpr int kLevels = 16;
constexpr int kLastLevel = static_cast<int>(Level::kOff);

constexpr int kMostWaits = 200;

// Global variables, because a handler gets no pointer.
std::atomic<bool> evaluation_asked{false};
std::atomic<int> level_asked{-1};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a handler may touch lock-free atomics only");

void on_request(int, siginfo_t* info, void*) {
    if (info->si_code != SI_QUEUE) {
        return;  // the kernel's own SIGURG, or one without a number
    }
    const int number = info->si_value.sival_int;
    if (number == kEvaluate) {
        evaluation_asked.store(true, std::memory_order_relaxed);
    } else if (number >= kLevels && number <= kLevels + kLastLevel) {
        level_asked.store(number - kLevels, std::memory_order_relaxed);
    }
}

// Whether the signal is in one of the sets of signals in /proc: "SigCgt" has those that the process handles, "ShdPnd"
// those that wait.
bool is_in(const char* set, int process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(set)) {
            return (std::stoull(line.substr(line.find(':') + 1), nullptr, 16) >> (SIGURG - 1) & 1U) != 0;
        }
    }
    return false;
}

// Sends again until the signal arrives: the system drops a signal while another one of the same number waits, which may
// happen on a busy machine.
bool queue(int process, int number) {
    for (int i = 0; i < kMostWaits && is_in("ShdPnd", process); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return ::sigqueue(process, SIGURG, {.sival_int = number}) == 0;
}

}  // namespace

RequestSignals::RequestSignals() {
    evaluation_asked.store(false, std::memory_order_relaxed);
    level_asked.store(-1, std::memory_order_relaxed);
    struct sigaction action{};
    action.sa_sigaction = on_request;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, &old_);
}

RequestSignals::~RequestSignals() {
    sigaction(SIGURG, &old_, nullptr);
}

AskedOfRun RequestSignals::take() noexcept {
    AskedOfRun out;
    if (evaluation_asked.load(std::memory_order_relaxed)) {
        out.evaluate = evaluation_asked.exchange(false, std::memory_order_relaxed);
    }
    if (level_asked.load(std::memory_order_relaxed) >= 0) {
        out.level = static_cast<Level>(level_asked.exchange(-1, std::memory_order_relaxed));
    }
    return out;
}

Sent send_request(int process, const AskedOfRun& request) {
    if (!is_in("SigCgt", process)) {
        return Sent::kNotTaken;
    }
    const bool sent = (!request.evaluate || queue(process, kEvaluate)) &&
                      (!request.level || queue(process, kLevels + static_cast<int>(*request.level)));
    return sent ? Sent::kSent : Sent::kFailed;
}

}  // namespace tenon
