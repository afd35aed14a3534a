// SPDX-License-Identifier: Apache-2.0
// The progress of a run on stderr: one line redrawn in place on a terminal, otherwise occasional plain lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log/terminal_style.hpp"

namespace tenon {

struct ProgressState {
    std::int64_t frames = 0;  // or whatever the unit is
    double return_mean = 0;   // of the latest episodes; NaN: none yet
};

// Allocates nothing after construction. The cursor is never hidden, so a killed run leaves the terminal intact.
class Progress {
public:
    // Frequent enough to show that the run is alive, and rare enough not to flicker or to take time.
    static constexpr double kRedrawSeconds = 0.2;
    // A log has 720 lines per hour, and a supervisor that waits for output sees a line soon enough.
    static constexpr double kLineSeconds = 5.0;

    Progress(int fd, TerminalStyle style, std::int64_t total_frames, std::string_view unit = "frame");
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // May be called at any rate; `now_s` is seconds of any monotonic clock. Draws when it is due.
    void update(const ProgressState& state, double now_s);

    // The time since the last measurement was not working time: restarts the measurement of the rate.
    void skip(const ProgressState& state, double now_s);

    // Erases the line, before something else is printed; the next update draws it again.
    void clear();

    // Draws the final state and ends the line.
    void finish();

private:
    void measure_rate();
    void draw();
    [[nodiscard]] std::size_t width() const;

    int fd_;
    TerminalStyle style_;
    std::int64_t total_frames_;
    std::string_view unit_;
    ProgressState state_;
    double rate_ = 0;  // frames/s, smoothed; 0: unknown
    std::int64_t rate_frames_ = 0;
    double rate_time_s_ = 0;
    double updated_at_s_ = 0;
    double drawn_at_s_ = 0;
    std::int64_t drawn_frames_ = -1;  // -1: nothing drawn yet
    bool started_ = false;
    bool on_line_ = false;  // the cursor is on our line
};

}  // namespace tenon
