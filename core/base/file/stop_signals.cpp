// SPDX-License-Identifier: Apache-2.0
#include "base/file/stop_signals.hpp"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/file/end_process.hpp"

namespace tenon {
namespace {

// Global variables, because a handler gets no pointer.
std::atomic<int> stop_count{0};
std::atomic<int> stop_number{0};
std::atomic<int> pause_count{0};
std::atomic<std::int64_t> stop_at_ms{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a handler may touch lock-free atomics only");
sem_t woken;

constexpr std::int64_t kGraceMs = 250;
constexpr std::int64_t kOneRequestMs = 50;  // nobody presses twice that fast

std::int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Calls only functions that are safe in a handler. `timeout` sends its signal to the process and to its group, which
// counts as one request.
void on_stop(int number) {
    const int saved_errno = errno;
    const bool again = stop_count.load(std::memory_order_relaxed) > 0;
    const bool same = again && number == stop_number.load(std::memory_order_relaxed);
    // A terminal that is closed sends SIGHUP, and so does its shell: nobody has asked twice.
    if ((same && now_ms() - stop_at_ms.load() < kOneRequestMs) || (again && number == SIGHUP)) {
        return;
    }
    if (again) {
        const ssize_t written = write(STDERR_FILENO, "\n", 1);  // moves the prompt below the progress line
        static_cast<void>(written);
        end_process(128 + number);
    }
    stop_at_ms.store(now_ms(), std::memory_order_relaxed);
    stop_number.store(number, std::memory_order_relaxed);
    stop_count.store(1, std::memory_order_release);
    sem_post(&woken);
    errno = saved_errno;
}

void on_continue(int) {
    pause_count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

StopSignals::StopSignals() {
    stop_count.store(0, std::memory_order_relaxed);
    sem_init(&woken, 0, 0);
    struct sigaction action{};
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;  // system calls must not fail because of it
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
    sigaction(SIGHUP, nullptr, &old_hang_up_);
    if (old_hang_up_.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, nullptr);
    }
    action.sa_handler = on_continue;
    sigaction(SIGCONT, &action, &old_continue_);
}

StopSignals::~StopSignals() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
    sigaction(SIGHUP, &old_hang_up_, nullptr);
    sigaction(SIGCONT, &old_continue_, nullptr);
}

bool StopSignals::requested() noexcept {
    return stop_count.load(std::memory_order_relaxed) > 0;
}

bool StopSignals::overdue() noexcept {
    return stop_count.load(std::memory_order_acquire) > 0 &&
           now_ms() - stop_at_ms.load(std::memory_order_relaxed) >= kGraceMs;
}

void StopSignals::wait() noexcept {
    while (sem_wait(&woken) != 0 && errno == EINTR) {
    }
}

void StopSignals::wake() noexcept {
    sem_post(&woken);
}

int StopSignals::pauses() noexcept {
    return pause_count.load(std::memory_order_relaxed);
}

}  // namespace tenon
