// SPDX-License-Identifier: Apache-2.0
// What a person sees and types who plays in the terminal.
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

#include "base/error/printable.hpp"
#include "base/error/result.hpp"
#include "commands/play/controls.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "printable_stream.hpp"
#include "run/sessions/screen.hpp"
#include "shared/terminal/key_terminal.hpp"
#include "shared/terminal/screen_terminal.hpp"

namespace tenon::host {

// Takes the terminal, which KeyTerminal::close gives back.
inline Status open_desk() {
    return KeyTerminal::open("play --keys needs a terminal, to draw in and to read keys from");
}

// Draws, and reads keys. The simulated world steps by its clock; a world without a clock steps when a key is pressed.
class Desk {
public:
    void begin(const Lanes::Pictures& pictures, const Controls& controls) {
        size_ = {.height = pictures.height, .width = pictures.width};
        has_clock_ = pictures.steps_per_second > 0;
        keys_ = "q: leave; " + controls.keys();
        wait_ =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / frames_per_second(pictures)));
        next_ = Clock::now();
        clear_screen();
    }

    bool turn(FramePixels pixels, Controls& controls, const Episode& so_far) {
        constexpr unsigned kLinesBelow = 2;
        draw_on_screen(pixels, size_, kLinesBelow);
        show(controls, so_far);
        next_ = std::max(next_ + wait_, Clock::now());  // a world that is too slow is not accelerated afterwards
        bool is_chosen = false;
        do {
            for (const std::string& key : terminal_.wait(has_clock_ ? next_ : Clock::now() + std::chrono::hours(1))) {
                if (key == "q") {
                    return false;
                }
                is_chosen = controls.press(key) || is_chosen;
            }
            show(controls, so_far);
        } while (has_clock_ ? Clock::now() < next_ : !is_chosen);
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;

    void show(const Controls& controls, const Episode& so_far) const {
        std::ostringstream below;
        below << controls.now() << "  step " << so_far.length << "  return " << so_far.total;
        const std::size_t room = screen_width() - 1;  // longer lines would scroll the picture
        draw(std::cout, "\r\x1b[K" + printable(keys_).substr(0, room) + "\n\x1b[K" +
                            printable(below.str()).substr(0, room) + "\x1b[A\r");
    }

    FrameSize size_;
    bool has_clock_ = false;
    std::string keys_;
    Clock::duration wait_{};
    Clock::time_point next_;
    KeyTerminal terminal_;
};

}  // namespace tenon::host
