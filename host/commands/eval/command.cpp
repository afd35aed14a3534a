// SPDX-License-Identifier: Apache-2.0
// tenon eval: score a checkpoint.
#include <boost/program_options/value_semantic.hpp>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "config/manifest/override.hpp"
#include "overrides.hpp"
#include "report.hpp"
#include "run/sessions/scoring.hpp"
#include "shared/scoring/scoring_options.hpp"
#include "table.hpp"
#include "train/collect/score.hpp"

namespace tenon::host {

namespace {

void put_parts(JsonWriter& json, std::string_view key, const std::vector<NamedScore>& parts) {
    if (parts.empty()) {
        return;
    }
    json.key(key).begin_object();
    for (const NamedScore& part : parts) {
        json.key(part.name).begin_object();
        put_score(json, part.score);
        json.end_object();
    }
    json.end_object();
}

}  // namespace

int command_eval(const Arguments& arguments) {
    CommandLine line(
        "tenon eval DIR [options]",
        "Plays whole episodes with a checkpoint of the run in DIR, without exploration, and prints the mean\nreturn.");
    add_scoring_options(line, "number of episodes; the default is the manifest's eval.episodes");
    line.options()("set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                   "overrides a value of the run's manifest, for example env.gravity=5; may be repeated")(
        "json",
        "one JSON object: return_mean, return_std, length_mean, episodes; cut_off if episodes were cut off; with "
        "several tasks also tasks, with several groups of agents also groups");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    Result<ScoringRequest> request = scoring_request(line, "eval");
    if (!request) {
        return report(request.error());
    }
    Result<std::vector<Override>> overrides = overrides_of_evaluation(*request, given_by_set(line.texts("set")));
    if (!overrides) {
        return report(overrides.error());
    }
    request->overrides = *std::move(overrides);
    Problems problems;
    const auto score =
        score_checkpoint(*request, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    if (!score) {
        return report(problems);
    }
    if (line.has("json")) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        put_score(json, score->all);
        put_parts(json, "tasks", score->tasks);
        put_parts(json, "groups", score->groups);
        json.end_object();
        std::cout << text << '\n';
    } else {
        std::cout << score_text(score->all) << '\n';
        for (const std::vector<NamedScore>* const parts : {&score->tasks, &score->groups}) {
            for (const NamedScore& part : *parts) {
                std::cout << "  " << part.name << ": " << score_text(part.score) << '\n';
            }
        }
    }
    return kSuccess;
}

}  // namespace tenon::host
