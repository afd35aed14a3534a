// SPDX-License-Identifier: Apache-2.0
// The progress line, on a pseudo-terminal and into a pipe.
#include "run/sessions/progress.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/log/terminal_style.hpp"
#include "support/catch.hpp"

namespace progress_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::Progress;
using tenon::TerminalStyle;

// What stands in the environment during a test; put back afterwards.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) {
            old_ = old;
        }
        value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    }
    ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

// Two connected ends: a pseudo-terminal or a pipe.
struct Ends {
    int read_end = -1;
    int write_end = -1;

    static Ends terminal(unsigned short columns) {
        Ends ends;
        winsize size{};
        size.ws_col = columns;
        size.ws_row = 24;
        REQUIRE(openpty(&ends.read_end, &ends.write_end, nullptr, nullptr, &size) == 0);
        fcntl(ends.read_end, F_SETFL, O_NONBLOCK);
        return ends;
    }
    static Ends pipe() {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        return {ends[0], ends[1]};
    }
    Ends() = default;
    Ends(int read_fd, int write_fd) : read_end(read_fd), write_end(write_fd) {}
    Ends(Ends&& other) noexcept : read_end(other.read_end), write_end(other.write_end) {
        other.read_end = other.write_end = -1;
    }
    ~Ends() {
        if (read_end >= 0) {
            close(read_end);
            close(write_end);
        }
    }

    [[nodiscard]] std::string read() const {
        std::string text;
        char block[4096];
        for (ssize_t got = 0; (got = ::read(read_end, block, sizeof block)) > 0;) {
            text.append(block, static_cast<std::size_t>(got));
        }
        return text;
    }
};

constexpr TerminalStyle kTerminal{.redraws = true, .colour = false};
constexpr TerminalStyle kPlain{.redraws = false, .colour = false};

// What a screen of unlimited width shows in its last line.
std::string shown(const std::string& output) {
    std::string line;
    std::string before;
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (output[i] == '\r') {
            before = std::exchange(line, {});
        } else if (output.compare(i, 3, "\x1b[K") == 0) {
            i += 2;
        } else if (output[i] != '\n') {
            line += output[i];
        }
    }
    return line.empty() ? before : line;
}

}  // namespace

TEST_CASE("a terminal gets a line redrawn in place, at most five times a second") {
    const Ends ends = Ends::terminal(120);
    Progress progress(ends.write_end, kTerminal, 1000);
    int draws = 0;
    for (int i = 0; i <= 1000; ++i) {
        progress.update({.frames = i / 2, .return_mean = 12.5}, 10.0 + i * 0.001);
        const std::string text = ends.read();
        draws += static_cast<int>(std::count(text.begin(), text.end(), '\r'));
        CHECK(text.find('\n') == std::string::npos);
    }
    CHECK(draws >= 5);
    CHECK(draws <= 6);  // one at once, then one every 0.2 s
}

TEST_CASE("the line tells frames, share, return, speed and time left") {
    const Ends ends = Ends::terminal(120);
    Progress progress(ends.write_end, kTerminal, 100000);
    progress.update({.frames = 20000, .return_mean = std::nan("")}, 0);
    CHECK(shown(ends.read()) == "20%  20000/100000 frames");
    progress.update({.frames = 21000, .return_mean = 187.25}, 2);
    CHECK(shown(ends.read()) == "21%  21000/100000 frames  return 187.2  500 frames/s  eta 2m38s");
    progress.update({.frames = 99999, .return_mean = -3}, 4);
    CHECK_THAT(shown(ends.read()), ContainsSubstring("99%  99999/100000 frames  return -3.000"));
}

TEST_CASE("a narrow terminal loses whole facts, never wraps") {
    const Ends ends = Ends::terminal(120);
    Progress progress(ends.write_end, kTerminal, 100000);
    double now = 0;
    progress.update({.frames = 20000, .return_mean = 100}, now);
    static_cast<void>(ends.read());
    for (unsigned short columns = 100; columns >= 1; --columns) {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = 24;
        REQUIRE(ioctl(ends.write_end, TIOCSWINSZ, &size) == 0);
        now += 1;
        progress.update({.frames = 20000 + static_cast<std::int64_t>(now) * 500, .return_mean = 100}, now);
        const std::string line = shown(ends.read());
        INFO("columns " << columns << ": " << line);
        CHECK(line.size() < columns);
        if (columns == 30) {
            CHECK_THAT(line, ContainsSubstring("/100000 frames"));
        }
        if (columns == 5) {
            CHECK_THAT(line, ContainsSubstring("%"));
        }
    }
}

TEST_CASE("other output clears the line first, and the end leaves the last state and a fresh line") {
    const Ends ends = Ends::terminal(80);
    Progress progress(ends.write_end, kTerminal, 10);
    progress.update({.frames = 1, .return_mean = 1}, 0);
    static_cast<void>(ends.read());
    progress.clear();
    CHECK(ends.read() == "\r\x1b[K");
    progress.clear();
    CHECK(ends.read().empty());
    progress.update({.frames = 10, .return_mean = 1}, 0.01);  // too soon to be drawn
    CHECK(ends.read().empty());
    progress.finish();
    const std::string last = ends.read();
    CHECK_THAT(last, ContainsSubstring("100%  10/10 frames"));
    CHECK(last.ends_with('\n'));
    CHECK(last.find("\x1b[?25") == std::string::npos);  // a hidden cursor would survive a kill -9
    progress.finish();
    CHECK(ends.read().empty());
}

TEST_CASE("a pipe gets plain lines every five seconds and one at the end") {
    const Ends ends = Ends::pipe();
    {
        Progress progress(ends.write_end, kPlain, 0);
        for (std::int64_t i = 0; i <= 1200; ++i) {
            progress.update({.frames = i * 10, .return_mean = 5}, static_cast<double>(i) * 0.01);
        }
    }
    const std::string text = ends.read();
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(text.starts_with("5000 frames  return 5.000  1000 frames/s\n"));
    CHECK(text.ends_with("12000 frames  return 5.000  1000 frames/s\n"));
}

TEST_CASE("the last line has the rate up to the end, however short the run") {
    const Ends ends = Ends::pipe();
    {
        Progress progress(ends.write_end, kPlain, 0);
        progress.update({.frames = 100, .return_mean = 5}, 1);
        progress.update({.frames = 700, .return_mean = 5}, 3);
    }
    CHECK(ends.read() == "700 frames  return 5.000  300 frames/s\n");
    {
        Progress progress(ends.write_end, kPlain, 0);
        progress.update({.frames = 0, .return_mean = 5}, 0);
        progress.update({.frames = 5000, .return_mean = 5}, 5);
        CHECK(ends.read() == "5000 frames  return 5.000  1000 frames/s\n");
        progress.update({.frames = 5000 + 4 * 2000, .return_mean = 5}, 9);
    }
    // Between the old 1000 and the new 2000, as far as four seconds go in a memory of five.
    CHECK(ends.read() == "13000 frames  return 5.000  1551 frames/s\n");
    {
        Progress progress(ends.write_end, kPlain, 0);
        progress.update({.frames = 100, .return_mean = 5}, 1);
    }
    CHECK(ends.read() == "100 frames  return 5.000\n");
}

TEST_CASE("a pause does not count: neither rate nor eta knows of it") {
    const Ends ends = Ends::terminal(120);
    Progress progress(ends.write_end, kTerminal, 10'000);
    progress.update({.frames = 0, .return_mean = 1}, 0);
    progress.update({.frames = 1'000, .return_mean = 1}, 1);
    static_cast<void>(ends.read());
    progress.skip({.frames = 1'100, .return_mean = 1}, 3601);
    progress.update({.frames = 1'100, .return_mean = 1}, 3601);
    CHECK(ends.read().empty());
    progress.update({.frames = 2'100, .return_mean = 1}, 3602);
    CHECK_THAT(shown(ends.read()), ContainsSubstring("1000 frames/s  eta 8s"));
}

TEST_CASE("without frames for a long time there is no eta, whatever the rate was") {
    const Ends ends = Ends::terminal(120);
    Progress progress(ends.write_end, kTerminal, 10'000);
    progress.update({.frames = 0, .return_mean = 1}, 0);
    progress.update({.frames = 1'000, .return_mean = 1}, 1);
    CHECK_THAT(shown(ends.read()), ContainsSubstring("eta 9s"));
    for (int second = 2; second < 900; ++second) {
        static_cast<void>(ends.read());
        progress.update({.frames = 1'000, .return_mean = 1}, second);
    }
    CHECK(shown(ends.read()) == "10%  1000/10000 frames  return 1.000  0 frames/s");
}

TEST_CASE("the style follows the descriptor, TERM and NO_COLOR") {
    const Ends terminal = Ends::terminal(80);
    const Ends pipe = Ends::pipe();
    const Variable term("TERM", "xterm");
    {
        const Variable no_colour("NO_COLOR", nullptr);
        CHECK(tenon::terminal_style(terminal.write_end).redraws);
        CHECK(tenon::terminal_style(terminal.write_end).colour);
        CHECK_FALSE(tenon::terminal_style(pipe.write_end).redraws);
        CHECK_FALSE(tenon::terminal_style(pipe.write_end).colour);
        const Variable dumb("TERM", "dumb");
        CHECK_FALSE(tenon::terminal_style(terminal.write_end).redraws);
    }
    const Variable no_colour("NO_COLOR", "1");
    CHECK(tenon::terminal_style(terminal.write_end).redraws);
    CHECK_FALSE(tenon::terminal_style(terminal.write_end).colour);
}

TEST_CASE("colours take no room on the line") {
    const Ends ends = Ends::terminal(29);
    Progress progress(ends.write_end, {.redraws = true, .colour = true}, 100000);
    progress.update({.frames = 99000, .return_mean = std::numeric_limits<double>::infinity()}, 0);
    const std::string text = ends.read();
    CHECK_THAT(text, ContainsSubstring("\x1b[1m99%\x1b[0m"));
    CHECK_THAT(text, ContainsSubstring("99000/100000 frames"));
}

}  // namespace progress_test
