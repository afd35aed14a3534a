// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/last_call.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "plugins/plugin/call_scope.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::array<int, 5> kLastSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<std::byte, std::size_t{1} << 16U> last_stack;

}  // namespace

void handle_last_signals(SignalHandler handler, double seconds) {
    const stack_t spare{.ss_sp = last_stack.data(), .ss_flags = 0, .ss_size = last_stack.size()};
    ::sigaltstack(&spare, nullptr);
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : kLastSignals) {
        ::sigaction(signal, &action, nullptr);
    }
    ::sigaction(SIGALRM, &action, nullptr);
    const double whole = std::floor(seconds);
    const itimerval limit{.it_interval = {},
                          .it_value = {.tv_sec = static_cast<time_t>(whole),
                                       .tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6)}};
    ::setitimer(ITIMER_REAL, &limit, nullptr);
}

void end_by(int signal) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when the handler has returned
}

void keep_current_call(std::span<char> where) {
    const CallScope* const scope = CallScope::current();
    if (scope == nullptr) {
        return;
    }
    const std::string_view function = scope->function();
    const std::size_t taken = std::min(function.size(), where.size() - 1);
    std::copy_n(function.begin(), taken, where.begin());
    where[taken] = '\0';
}

std::string last_line(int file) {
    std::array<char, 1024> end{};
    const off_t size = ::lseek(file, 0, SEEK_END);
    const ssize_t got = ::pread(file, end.data(), end.size(), std::max<off_t>(0, size - std::ssize(end)));
    std::string text(end.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    text.erase(text.find_last_not_of("\n ") + 1);
    const std::size_t line = text.rfind('\n');
    return repaired(line == std::string::npos ? text : text.substr(line + 1));
}

}  // namespace tenon
