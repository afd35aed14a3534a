// SPDX-License-Identifier: Apache-2.0
// tenon eval: score a checkpoint.
#include <iostream>
#include <string>
#include <string_view>

#include "command.hpp"
#include "command_line.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "table.hpp"
#include "tenon/core.hpp"

namespace tenon::host {

int run_eval(const Arguments& arguments) {
    CommandLine line(
        "tenon eval DIR [options]",
        "Plays whole episodes with a checkpoint of the run in DIR, without exploration, and prints the mean return.");
    add_plugin_options(line);
    line.options()("checkpoint", text_value("WHICH"),
                   "best, last, a number of frames (of updates, in a run that only learns), or the folder of a "
                   "checkpoint of any run with the same policy; if "
                   "not given: best, or last where the run has had no evaluations")(
        "env", text_value("NAME"), "which [[eval.env]]; the first if not given")(
        "episodes", integer_value("N"), "how many episodes; the manifest's eval.episodes if not given")(
        "seed", integer_value("N"), "of the episodes; the manifest's if not given")(
        "actions", text_value("HOW"), "mode, mean or sample; the manifest's eval.actions if not given")(
        "json", "one JSON object: return_mean, return_std, length_mean, episodes");
    line.positional("folder", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("folder");
    if (words.empty()) {
        return report(input_problem("eval wants the folder of a run"));
    }
    ScoringRequest request{.folder = words.front(),
                           .checkpoint = {},
                           .env = line.text("env"),
                           .episodes = line.integer("episodes"),
                           .seed = line.integer("seed"),
                           .actions = {},
                           .plugins = given_plugin_folders(line)};
    if (request.episodes.value_or(1) < 1) {
        return report(input_problem("--episodes must be at least 1, and is " + std::to_string(*request.episodes)));
    }
    if (request.seed.value_or(0) < 0) {
        return report(input_problem("--seed must be at least 0, and is " + std::to_string(*request.seed)));
    }
    if (line.has("checkpoint")) {
        request.checkpoint = line.text("checkpoint");
    }
    if (line.has("actions")) {
        request.actions = line.text("actions");
        if (*request.actions != "mode" && *request.actions != "mean" && *request.actions != "sample") {
            return report(input_problem("--actions must be mode, mean or sample, and is '" + *request.actions + "'"));
        }
    }
    Problems problems;
    const auto score =
        score_checkpoint(request, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    if (!score) {
        return report(problems);
    }
    if (line.has("json")) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().key("return_mean").number(score->return_mean).key("return_std").number(score->return_std);
        json.key("length_mean").number(score->length_mean).key("episodes").integer(score->episodes).end_object();
        std::cout << text << '\n';
    } else {
        std::cout << score_text(*score) << '\n';
    }
    return kSuccess;
}

}  // namespace tenon::host
