// SPDX-License-Identifier: Apache-2.0
#include "shared/scoring/scoring_options.hpp"

#include "base/error/problem.hpp"
#include "plugin_options.hpp"

namespace tenon::host {

void add_scoring_options(CommandLine& line, const char* episodes) {
    add_plugin_options(line);
    line.options()("checkpoint", text_value("WHICH"),
                   "best, best-2, ..., last, a number of frames (or updates, if the run only learns), or the folder of "
                   "a checkpoint "
                   "of any run with the same policy; the default is best, or last if the run has had no evaluations")(
        "env", text_value("NAME"), "which [[eval.env]]; the default is the first")(
        "episodes", integer_value("N"), episodes)("seed", integer_value("N"),
                                                  "seed of the episodes; the default is the manifest's")(
        "actions", text_value("HOW"), "mode, mean or sample; the default is the manifest's eval.actions")(
        "max-steps", integer_value("N"),
        "cut off episodes after N steps; the default is the manifest's eval.max_steps");
    line.positional("folder", 1);
}

Result<ScoringRequest> scoring_request(const CommandLine& line, std::string_view command) {
    const std::vector<std::string> words = line.texts("folder");
    if (words.empty()) {
        return input_problem(std::string(command) + " needs the folder of a run");
    }
    ScoringRequest request{.folder = words.front(),
                           .env = line.text("env"),
                           .episodes = line.integer("episodes"),
                           .seed = line.integer("seed"),
                           .max_steps = line.integer("max-steps"),
                           .plugins = given_plugin_folders(line)};
    if (request.episodes.value_or(1) < 1) {
        return input_problem("--episodes must be at least 1, but is " + std::to_string(*request.episodes));
    }
    if (request.seed.value_or(0) < 0) {
        return input_problem("--seed must be at least 0, but is " + std::to_string(*request.seed));
    }
    if (line.has("checkpoint")) {
        request.checkpoint = line.text("checkpoint");
    }
    if (line.has("actions")) {
        request.actions = line.text("actions");
        if (*request.actions != "mode" && *request.actions != "mean" && *request.actions != "sample") {
            return input_problem("--actions must be mode, mean or sample, but is '" + *request.actions + "'");
        }
    }
    return request;
}

void put_score(JsonWriter& json, const Score& score) {
    json.key("return_mean").number(score.return_mean).key("return_std").number(score.return_std);
    json.key("length_mean").number(score.length_mean).key("episodes").integer(score.episodes);
    if (score.cut_off > 0) {
        json.key("cut_off").integer(score.cut_off);
    }
}

}  // namespace tenon::host
