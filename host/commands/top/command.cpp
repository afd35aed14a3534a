// SPDX-License-Identifier: Apache-2.0
// tenon top: the runs of some folders on the whole screen of the terminal.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log/log.hpp"
#include "base/log/terminal_style.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/top/ask_run.hpp"
#include "commands/top/top_screen.hpp"
#include "printable_stream.hpp"
#include "report.hpp"
#include "shared/terminal/key_terminal.hpp"
#include "shared/terminal/screen_terminal.hpp"
#include "shared/watch/run_watch.hpp"

namespace tenon::host {
namespace {

constexpr auto kPause = std::chrono::milliseconds(500);

using Runs = std::vector<std::shared_ptr<const WatchedRun>>;

// The question that a key asks, until another key answers it.
enum class Question : std::uint8_t { kNone, kStop, kLevel };

constexpr std::string_view kKeys =
    "up, down: select   s: stop with a checkpoint   e: evaluate now   l: log lines   q: quit";

struct NamedLevel {
    std::string_view key;
    Level level;
    std::string_view lines;  // that the run prints
};
constexpr std::array<NamedLevel, 4> kLevels = {{{"d", Level::kDebug, "evaluations, checkpoints and all others"},
                                                {"i", Level::kInfo, "notes, warnings and errors"},
                                                {"w", Level::kWarning, "warnings and errors"},
                                                {"e", Level::kError, "errors only"}}};

std::string told(const WatchedRun& run, const Status& asked, std::string_view what) {
    return asked ? "asked " + run.name + " " + std::string(what) : asked.error().sentence;
}

// Carries out the answer to a question about the run, and returns a message; empty: the person has cancelled.
std::string answer(Question question, const std::string& key, const WatchedRun& run) {
    if (question == Question::kStop) {
        return key == "y" ? told(run, stop_run(run), "to write a checkpoint and stop") : "";
    }
    const auto* const chosen = std::ranges::find(kLevels, key, &NamedLevel::key);
    return chosen == kLevels.end()
               ? ""
               : told(run, ask_run(run, {.level = chosen->level}), "to print " + std::string(chosen->lines));
}

std::string text_of(Question question, const WatchedRun& run) {
    return question == Question::kStop
               ? "stop " + run.name + " with a checkpoint? y or n"
               : "log lines of " + run.name +
                     ": d: debug   i: info   w: warnings   e: errors   any other key: as they are";
}

// The selection follows its run when the order changes.
std::size_t place_of(const Runs& runs, const std::string& id) {
    const auto found = std::ranges::find_if(runs, [&](const auto& run) { return run->id == id; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

void show(RunWatch& watch) {
    KeyTerminal keys;
    std::string id;
    std::string message;
    Question question = Question::kNone;
    for (;;) {
        const Runs runs = order_for_top(*watch.view());
        std::size_t selected = place_of(runs, id);
        const TopStyle style{
            .columns = screen_width(), .lines = screen_height(), .colour = terminal_style(STDOUT_FILENO).colour};
        draw_text_on_screen(top_screen(runs, selected, style) + "\n" +
                            (question != Question::kNone ? text_of(question, *runs[selected])
                             : message.empty()           ? std::string(kKeys)
                                                         : message));
        for (const std::string& key : keys.wait(std::chrono::steady_clock::now() + kPause)) {
            message.clear();
            if (question != Question::kNone) {
                message = answer(std::exchange(question, Question::kNone), key, *runs[selected]);
            } else if (key == "q") {
                return;
            } else if (selected < runs.size() && (key == "s" || key == "l")) {
                const WatchedRun& run = *runs[selected];
                const bool is_running = run.state == RunState::kRunning;
                question = !is_running ? Question::kNone : key == "s" ? Question::kStop : Question::kLevel;
                message = is_running ? "" : run.name + " is not running";
            } else if (selected < runs.size() && key == "e") {
                message = told(*runs[selected], ask_run(*runs[selected], {.evaluate = true}), "for an evaluation");
            } else if (key == "up" || key == "k") {
                selected -= selected > 0 ? 1 : 0;
            } else if (key == "down" || key == "j") {
                selected += selected + 1 < runs.size() ? 1 : 0;
            }
        }
        id = selected < runs.size() ? runs[selected]->id : "";
    }
}

}  // namespace

int command_top(const Arguments& arguments) {
    CommandLine line(
        "tenon top DIR... [options]",
        "Shows the runs in these folders as they grow, running ones first, on the whole screen of the "
        "terminal.\nKeys: up and down select a run, s stops it with a checkpoint as Ctrl-C in its own terminal "
        "does, e lets it\nevaluate now, l chooses the log lines that it prints, q quits.");
    line.options()("once", "print all runs once, and end");
    line.positional("folder", -1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> folders = line.texts("folder");
    if (folders.empty()) {
        return report(input_problem("top needs a folder of runs"));
    }
    Result<std::unique_ptr<RunWatch>> watch = RunWatch::open({folders.begin(), folders.end()});
    if (!watch) {
        return report(watch.error());
    }
    if (line.has("once")) {
        (*watch)->look();
        const bool terminal = ::isatty(STDOUT_FILENO) == 1;
        draw(std::cout, top_screen(order_for_top(*(*watch)->view()), 0,
                                   {.columns = terminal ? screen_width() : 160,
                                    .lines = 0,
                                    .colour = terminal_style(STDOUT_FILENO).colour}));
        return kSuccess;
    }
    if (Status opened = KeyTerminal::open("top needs a terminal; `tenon top --once` prints the runs once"); !opened) {
        return report(opened.error());
    }
    (*watch)->follow();
    clear_screen();
    show(**watch);
    clear_screen();
    KeyTerminal::close();
    draw(std::cout, "\x1b[H");
    return kSuccess;
}

}  // namespace tenon::host
