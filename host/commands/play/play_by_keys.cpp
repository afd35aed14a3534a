// SPDX-License-Identifier: Apache-2.0
#include "commands/play/play_by_keys.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

#include "base/error/printable.hpp"
#include "base/error/problem.hpp"
#include "base/log/log.hpp"
#include "commands/play/by_hand.hpp"
#include "commands/play/controls.hpp"
#include "config/manifest/override.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "plugin_options.hpp"
#include "printable_stream.hpp"
#include "report.hpp"
#include "run/sessions/screen.hpp"
#include "shared/presets/manifest_options.hpp"
#include "shared/terminal/key_terminal.hpp"
#include "shared/terminal/screen_terminal.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

using Clock = std::chrono::steady_clock;

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

}  // namespace

int play_by_keys(const CommandLine& line) {
    for (const char* const other : {"video", "watch", "tokens", "names", "checkpoint", "actions", "env", "json"}) {
        if (line.has(other)) {
            return report(input_problem("play --keys takes no --" + std::string(other) +
                                        ": a person plays, and sees the env in the terminal"));
        }
    }
    const std::vector<std::string> words = line.texts("folder");
    if (words.empty()) {
        return report(input_problem("play --keys needs the name of an env, a manifest, or the folder of a run"));
    }
    HandRequest request{.source = words.front(),
                        .overrides = given_by_set(line.texts("set")),
                        .seed = line.integer("seed").value_or(0),
                        .plugins = given_plugin_folders(line)};
    request.episodes = line.integer("episodes").value_or(request.episodes);
    if (const Status opened = KeyTerminal::open("play --keys needs a terminal, to draw in and to read keys from");
        !opened) {
        return report(opened.error());
    }
    Desk desk;
    const Hand hand{
        .begin = [&](const Lanes::Pictures& pictures, const Controls& controls) { desk.begin(pictures, controls); },
        .turn = [&](FramePixels pixels, Controls& controls,
                    const Episode& so_far) { return desk.turn(pixels, controls, so_far); }};
    Problems problems;
    const auto score =
        play_by_hand(request, hand, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    KeyTerminal::close();
    if (!problems.empty()) {
        return report(problems);
    }
    std::cout << "\n\n" << score_text(score.value_or(Score{})) << '\n';
    return kSuccess;
}

}  // namespace tenon::host
