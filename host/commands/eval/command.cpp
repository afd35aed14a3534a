// SPDX-License-Identifier: Apache-2.0
// tenon eval: score a checkpoint.
#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/key_path.hpp"
#include "config/manifest/override.hpp"
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

// Refuses values that no evaluation reads.
Status check_overrides(const std::vector<Override>& overrides) {
    static constexpr auto kRead = std::to_array<std::string_view>({"env", "eval", "policy", "run"});
    for (const Override& each : overrides) {
        const std::string key = each.text.substr(0, each.text.find('='));
        if (std::ranges::find(kRead, key.substr(0, key.find('.'))) == kRead.end()) {
            return input_problem("an evaluation does not read '" + key +
                                 "'; it reads the values of [env], [eval], [policy.NAME] and [run]");
        }
    }
    return {};
}

// The table of [[eval.env]] that is played, and its number; null if the run has none.
std::pair<const TomlTable*, std::size_t> played_table(const Document& manifest, const std::string& name) {
    const TomlNode* const eval = manifest.root.find("eval");
    const TomlNode* const env = eval == nullptr || eval->table() == nullptr ? nullptr : eval->table()->find("env");
    if (env == nullptr || !env->is_table_list()) {
        return {nullptr, 0};
    }
    const Result<std::size_t> found = element_named(name.substr(0, name.find('/')), *env->list(), "eval.env", {});
    const std::size_t number = found ? *found : 0;
    return {(*env->list())[number].table(), number};
}

// The overrides of `tenon eval` as overrides of the run's manifest: a value of [env] applies to the env that is played,
// which may be one of [[eval.env]]. Values that no evaluation reads are refused.
Result<std::vector<Override>> overrides_of_evaluation(const ScoringRequest& request, std::vector<Override> out) {
    TENON_TRY(check_overrides(out));
    Problems ignored;  // opening the run reports them
    const auto manifest = read_manifest((request.folder / "manifest.lock.toml").string(), {}, ignored);
    const auto [table, number] =
        manifest ? played_table(*manifest, request.env) : std::pair<const TomlTable*, std::size_t>();
    for (Override& each : out) {
        const KeyPath path = read_key_path(each.text);
        const bool of_env = table != nullptr && path.parts.size() > 1 && path.parts[0].name == "env";
        if (of_env && table->find(path.parts[1].name) != nullptr) {
            each.text = "eval.env." + std::to_string(number) + "." + each.text.substr(path.parts[1].begin);
        }
    }
    return out;
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
