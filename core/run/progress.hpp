// SPDX-License-Identifier: Apache-2.0
// How a run is getting on, on stderr: one line redrawn in place on a terminal, plain lines now and then anywhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

struct ProgressStyle {
    bool terminal = false;  // redraw in place
    bool colour = false;
};

// A terminal that can redraw is asked for by the descriptor and TERM (not "dumb"), colours also by NO_COLOR being
// unset.
ProgressStyle progress_style(int fd);

struct ProgressState {
    std::int64_t frames = 0;  // or whatever the unit is
    double return_mean = 0;   // of the last episodes; NaN: none yet
};

// Allocates nothing after construction. The cursor is never hidden, so a killed run leaves the terminal as it was.
class Progress {
public:
    // Often enough to look alive, rarely enough to cost nothing and not to flicker.
    static constexpr double kRedrawSeconds = 0.2;
    // A log of an hour has 720 lines, and a supervisor that waits for signs of life sees one soon enough.
    static constexpr double kLineSeconds = 5.0;

    Progress(int fd, ProgressStyle style, std::int64_t total_frames, std::string_view unit = "frame");
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Call as often as you like; `now_s` is seconds of any clock that never goes back. Draws when it is time to.
    void update(const ProgressState& state, double now_s);

    // The time since the last measurement was no working time: the rate is measured from now on.
    void skip(const ProgressState& state, double now_s);

    // Takes the line off the terminal, before something else is printed there; the next update draws it again.
    void clear();

    // The last state, for good, and the end of the line.
    void finish();

private:
    void measure_rate();
    void draw();
    [[nodiscard]] std::size_t width() const;

    int fd_;
    ProgressStyle style_;
    std::int64_t total_frames_;
    std::string_view unit_;
    ProgressState state_;
    double rate_ = 0;  // frames/s, smoothed; 0: not known yet
    std::int64_t rate_frames_ = 0;
    double rate_time_s_ = 0;
    double updated_at_s_ = 0;
    double drawn_at_s_ = 0;
    std::int64_t drawn_frames_ = -1;  // -1: nothing drawn yet
    bool started_ = false;
    bool on_line_ = false;  // the cursor stands on our line
};

}  // namespace tenon
