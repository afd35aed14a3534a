// SPDX-License-Identifier: Apache-2.0
#include "shared/terminal/key_terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error/problem.hpp"

namespace tenon::host {
namespace {

constexpr auto kSignals =
    std::to_array<int>({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE});
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kHideCursor = "\x1b[?25l";

// Global variables, because a handler gets no pointer.
termios before{};
volatile sig_atomic_t is_changed = 0;
std::array<struct sigaction, kSignals.size()> handlers{};

void say(std::string_view text) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
}

// Calls only functions that are safe in a handler.
void restore() {
    if (is_changed != 0) {
        is_changed = 0;
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
        say(kShowCursor);
    }
}

// Restores the terminal, and then lets the signal have its usual effect.
void on_signal(int number) {
    restore();
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &handlers[i], nullptr);
    }
    ::raise(number);
}

struct Named {
    std::string_view bytes, name;
};
constexpr auto kNamed = std::to_array<Named>({{"\x1b[A", "up"},
                                              {"\x1b[B", "down"},
                                              {"\x1b[C", "right"},
                                              {"\x1b[D", "left"},
                                              {"\x1bOA", "up"},
                                              {"\x1bOB", "down"},
                                              {"\x1bOC", "right"},
                                              {"\x1bOD", "left"},
                                              {" ", "space"}});

// Takes the first key from the bytes; none, if it is not complete.
std::optional<std::string> take_key(std::string& bytes) {
    for (const Named& each : kNamed) {
        if (bytes.starts_with(each.bytes)) {
            bytes.erase(0, each.bytes.size());
            return std::string(each.name);
        }
        if (each.bytes.starts_with(bytes)) {
            return std::nullopt;
        }
    }
    std::string key = bytes.substr(0, 1);
    bytes.erase(0, 1);
    return key;
}

}  // namespace

Status KeyTerminal::open(std::string_view sentence) {
    if (::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before) != 0) {
        return input_problem(std::string(sentence));
    }
    static const bool is_registered = std::atexit([] { restore(); }) == 0;
    static_cast<void>(is_registered);
    struct sigaction action{};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_NODEFER;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &action, &handlers[i]);
    }
    termios keys = before;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;  // a stopped program would leave the terminal like this
    is_changed = 1;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    say(kHideCursor);
    return {};
}

void KeyTerminal::close() noexcept {
    restore();
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &handlers[i], nullptr);
    }
}

std::vector<std::string> KeyTerminal::wait(std::chrono::steady_clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    std::vector<std::string> keys;
    if (::poll(&input, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0) {
        return keys;
    }
    std::array<char, 64> bytes{};
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) {
        return {"q"};
    }
    rest_.append(bytes.data(), static_cast<std::size_t>(count));
    while (!rest_.empty()) {
        std::optional<std::string> key = take_key(rest_);
        if (!key) {
            break;
        }
        keys.push_back(std::move(*key));
    }
    return keys;
}

}  // namespace tenon::host
