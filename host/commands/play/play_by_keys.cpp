// SPDX-License-Identifier: Apache-2.0
#include "commands/play/play_by_keys.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "base/log/log.hpp"
#include "commands/play/by_hand.hpp"
#include "commands/play/controls.hpp"
#include "commands/play/desk.hpp"
#include "commands/play/one_side.hpp"
#include "config/manifest/override.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "shared/terminal/key_terminal.hpp"
#include "table.hpp"

namespace tenon::host {

namespace {

// In an env in which the person plays all that acts.
std::optional<Score> play_alone(const CommandLine& line, Problems& problems) {
    const std::vector<std::string> words = line.texts("folder");
    if (words.empty()) {
        problems.push_back(input_problem("play --keys needs the name of an env, a manifest, or the folder of a run"));
        return std::nullopt;
    }
    HandRequest request{.source = words.front(),
                        .overrides = given_by_set(line.texts("set")),
                        .seed = line.integer("seed").value_or(0),
                        .plugins = given_plugin_folders(line)};
    request.episodes = line.integer("episodes").value_or(request.episodes);
    if (Status opened = open_desk(); !opened) {
        problems.push_back(std::move(opened.error()));
        return std::nullopt;
    }
    Desk desk;
    const Hand hand{
        .begin = [&](const Lanes::Pictures& pictures, const Controls& controls) { desk.begin(pictures, controls); },
        .turn = [&](FramePixels pixels, Controls& controls,
                    const Episode& so_far) { return desk.turn(pixels, controls, so_far); }};
    return play_by_hand(request, hand, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
}

}  // namespace

int play_by_keys(const CommandLine& line) {
    const bool has_side = line.has("side");
    for (const char* const other : {"video", "watch", "tokens", "names", "json", "checkpoint", "actions", "env"}) {
        const bool of_policy = std::string_view("checkpoint actions env").find(other) != std::string_view::npos;
        if (line.has(other) && !(has_side && of_policy)) {
            return report(input_problem("play --keys takes no --" + std::string(other) +
                                        ": a person plays, and sees the env in the terminal" +
                                        (of_policy ? "; with --side, a policy plays too" : "")));
        }
    }
    Problems problems;
    const std::optional<Score> score = has_side ? play_one_side(line, problems) : play_alone(line, problems);
    KeyTerminal::close();
    if (!problems.empty()) {
        return report(problems);
    }
    std::cout << "\n\n" << score_text(score.value_or(Score{})) << '\n';
    return kSuccess;
}

}  // namespace tenon::host
