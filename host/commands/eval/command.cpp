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
#include "report.hpp"
#include "run/sessions/scoring.hpp"
#include "scoring_options.hpp"
#include "table.hpp"
#include "train/collect/score.hpp"

namespace tenon::host {

int command_eval(const Arguments& arguments) {
    CommandLine line(
        "tenon eval DIR [options]",
        "Plays whole episodes with a checkpoint of the run in DIR, without exploration, and prints the mean\nreturn.");
    add_scoring_options(line, "number of episodes; the default is the manifest's eval.episodes");
    line.options()("set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                   "overrides a value of the run's manifest, for example env.gravity=5; may be repeated")(
        "json",
        "one JSON object: return_mean, return_std, length_mean, episodes; cut_off if episodes were cut off; with "
        "several tasks also tasks");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    Result<ScoringRequest> request = scoring_request(line, "eval");
    if (!request) {
        return report(request.error());
    }
    request->overrides = given_by_set(line.texts("set"));
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
        if (!score->tasks.empty()) {
            json.key("tasks").begin_object();
            for (const NamedScore& task : score->tasks) {
                json.key(task.name).begin_object();
                put_score(json, task.score);
                json.end_object();
            }
            json.end_object();
        }
        json.end_object();
        std::cout << text << '\n';
    } else {
        std::cout << score_text(score->all) << '\n';
        for (const NamedScore& task : score->tasks) {
            std::cout << "  " << task.name << ": " << score_text(task.score) << '\n';
        }
    }
    return kSuccess;
}

}  // namespace tenon::host
