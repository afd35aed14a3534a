// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <array>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon {
namespace {

constexpr double kRateMemorySeconds = 5.0;  // smoothing time of the rate
constexpr std::size_t kUnlimited = 200;

// A line in fixed memory. `visible` counts the characters that are visible on the screen. A part that does not fit is
// omitted completely.
struct Line {
    std::array<char, 320> text;
    std::size_t size = 0;
    std::size_t visible = 0;

    void put(std::string_view piece) { visible += control(piece); }

    // Not counted: escape sequences are invisible.
    std::size_t control(std::string_view piece) {
        const std::size_t take = std::min(piece.size(), text.size() - size);
        std::copy_n(piece.begin(), take, text.begin() + static_cast<std::ptrdiff_t>(size));
        size += take;
        return take;
    }

    void put_whole(std::int64_t value) {
        std::array<char, 24> digits;
        const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        put({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

    // With few digits: 7, 152.3, 1.2e+09.
    void put_short(double value) {
        std::array<char, 40> digits;
        const bool plain = std::fabs(value) < 1e7;
        const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
        const int precision = plain && std::fabs(value) >= 10 ? 1 : 3;
        const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision).ptr;
        put({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

    void put_duration(double seconds) {
        const auto whole = static_cast<std::int64_t>(std::llround(seconds));
        if (whole >= 3600) {
            put_whole(whole / 3600);
            put("h");
        }
        if (whole >= 60) {
            put_whole(whole / 60 % 60);
            put("m");
        }
        if (whole < 3600) {
            put_whole(whole % 60);
            put("s");
        }
    }
};

struct Facts {
    std::int64_t frames;
    std::int64_t total;
    double return_mean;
    double rate;
    bool colour;
    std::string_view unit;
};

void put_frames(Line& line, const Facts& facts) {
    line.put_whole(facts.frames);
    if (facts.total > 0) {
        line.put("/");
        line.put_whole(facts.total);
    }
    line.put(" ");
    line.put(facts.unit);
    line.put("s");
}

void put_percent(Line& line, const Facts& facts) {
    if (facts.total <= 0) {
        return;
    }
    const double part = static_cast<double>(facts.frames) / static_cast<double>(facts.total);
    line.control(facts.colour ? "\x1b[1m" : "");
    line.put_whole(static_cast<std::int64_t>(std::floor(100.0 * std::min(part, 1.0))));  // 100 only at the end
    line.put("%");
    line.control(facts.colour ? "\x1b[0m" : "");
}

void put_return(Line& line, const Facts& facts) {
    if (std::isfinite(facts.return_mean)) {
        line.put("return ");
        line.put_short(facts.return_mean);
    }
}

void put_rate(Line& line, const Facts& facts) {
    if (facts.rate > 0) {
        line.put_whole(static_cast<std::int64_t>(std::llround(std::min(facts.rate, 1e15))));
        line.put(" ");
        line.put(facts.unit);
        line.put("s/s");
    }
}

void put_eta(Line& line, const Facts& facts) {
    const double left = static_cast<double>(facts.total - facts.frames);
    // Nothing beyond 1,000 hours: while a run evaluates, its rate falls to 0.
    if (left > 0 && left < facts.rate * 3.6e6) {
        line.put("eta ");
        line.put_duration(left / facts.rate);
    }
}

}  // namespace

Progress::Progress(int fd, TerminalStyle style, std::int64_t total_frames, std::string_view unit)
    : fd_(fd), style_(style), total_frames_(total_frames), unit_(unit) {}

void Progress::update(const ProgressState& state, double now_s) {
    state_ = state;
    updated_at_s_ = now_s;
    if (!started_) {
        started_ = true;
        rate_frames_ = state.frames;  // a resumed run does not start at 0
        rate_time_s_ = now_s;
        drawn_at_s_ = now_s;
        if (style_.redraws) {
            draw();
        }
        return;
    }
    if (now_s - drawn_at_s_ < (style_.redraws ? kRedrawSeconds : kLineSeconds)) {
        return;
    }
    measure_rate();
    drawn_at_s_ = now_s;
    draw();
}

void Progress::skip(const ProgressState& state, double now_s) {
    rate_frames_ = state.frames;
    rate_time_s_ = now_s;
    drawn_at_s_ = now_s;
    on_line_ = false;  // a shell may have written there
}

void Progress::measure_rate() {
    const double passed = updated_at_s_ - rate_time_s_;
    if (passed <= 0) {
        return;
    }
    const double latest = static_cast<double>(state_.frames - rate_frames_) / passed;
    const double keep = rate_ > 0 ? std::exp(-passed / kRateMemorySeconds) : 0;
    rate_ = keep * rate_ + (1 - keep) * latest;
    rate_frames_ = state_.frames;
    rate_time_s_ = updated_at_s_;
}

std::size_t Progress::width() const {
    winsize size{};
    if (ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col;
}

void Progress::draw() {
    const Facts facts{.frames = state_.frames,
                      .total = total_frames_,
                      .return_mean = state_.return_mean,
                      .rate = rate_,
                      .colour = style_.colour,
                      .unit = unit_};
    // In order of importance; on a narrow screen the last ones are omitted. The last column stays free, because some
    // terminals wrap a line that fills it.
    const std::size_t room = style_.redraws ? width() - 1 : kUnlimited;
    Line line;
    line.control(style_.redraws ? "\r" : "");
    for (void (*put)(Line&, const Facts&) : {put_percent, put_frames, put_return, put_rate, put_eta}) {
        const std::size_t size = line.size;
        const std::size_t visible = line.visible;
        line.put(visible > 0 ? "  " : "");
        const std::size_t separated = line.visible;
        put(line, facts);
        if (line.visible == separated || line.visible > room) {
            line.size = size;
            line.visible = visible;
        }
    }
    line.control(style_.redraws ? "\x1b[K" : "\n");
    // A failure to write to the terminal must not stop a run.
    const ssize_t written = write(fd_, line.text.data(), line.size);
    static_cast<void>(written);
    drawn_frames_ = state_.frames;
    on_line_ = style_.redraws;
}

void Progress::clear() {
    if (on_line_) {
        constexpr std::string_view kErase = "\r\x1b[K";
        const ssize_t written = write(fd_, kErase.data(), kErase.size());
        static_cast<void>(written);
        on_line_ = false;
    }
}

void Progress::finish() {
    if (!started_) {
        return;
    }
    started_ = false;
    if (drawn_frames_ != state_.frames || (style_.redraws && !on_line_)) {
        measure_rate();  // otherwise the last line would show an old rate, or none in a short run
        draw();
    }
    if (on_line_) {
        const ssize_t written = write(fd_, "\n", 1);
        static_cast<void>(written);
        on_line_ = false;
    }
}

}  // namespace tenon
