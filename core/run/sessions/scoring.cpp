// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/scoring.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file/stop_signals.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/key_path.hpp"
#include "run/sessions/opened_run.hpp"
#include "run/start/executor.hpp"
#include "train/collect/evaluator.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/evaluations.hpp"
#include "train/progress/standing.hpp"

namespace tenon {
namespace {

// The evaluation env or task with that name.
Result<Scored> scored_as(const Manifest& manifest, const std::string& name) {
    if (const std::optional<Scored> found = find_scored(manifest, name)) {
        return *found;
    }
    const std::vector<std::string> names = score_names(manifest);
    std::vector<std::string_view> known;
    std::string list;
    for (const std::string& each : names) {
        if (!each.empty()) {
            known.emplace_back(each);
            list += (list.empty() ? "" : ", ") + each;
        }
    }
    return input_problem("the run has no evaluation env '" + name + "'" + did_you_mean(name, known), {},
                         list.empty() ? "none of its [eval.env] has a name" : "it has: " + list);
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
    const auto is_named = [&](const TomlNode& node) {
        const TomlNode* const own = node.table()->find("name");
        const auto* const text = own == nullptr ? nullptr : std::get_if<std::string>(&own->value);
        return text != nullptr && *text == name.substr(0, name.find('/'));
    };
    const auto found = std::ranges::find_if(*env->list(), is_named);
    const std::size_t number = found == env->list()->end() ? 0 : static_cast<std::size_t>(found - env->list()->begin());
    return {(*env->list())[number].table(), number};
}

// The values of [env] are those of the env that is played, which may have its own in [[eval.env]].
std::vector<Override> for_played_env(const ScoringRequest& request) {
    Problems ignored;  // opening the run reports them
    const auto manifest = read_manifest((request.folder / "manifest.lock.toml").string(), {}, ignored);
    std::vector<Override> out = request.overrides;
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

// Uses the evaluator, with the numbers of the run at the checkpoint. No score: it was stopped.
using Use = std::function<Result<std::optional<Score>>(Evaluator&, const RunNumbers&)>;

// Calls it with an evaluator of that many episodes; if none is given, the manifest's number.
Result<std::optional<Score>> evaluate(const ScoringRequest& request, std::optional<std::int64_t> episodes, Setup& setup,
                                      const std::filesystem::path& checkpoint, const Use& use) {
    const Wiring& wiring = *setup.wiring;
    Lanes& training = *setup.running.lanes;
    Learner learner = TENON_TRY(learner_at(wiring, checkpoint));
    TENON_TRY(restore_transforms(training, checkpoint));
    const Origin origin = TENON_TRY(origin_of(checkpoint));
    const std::unique_ptr<Executor> executor = TENON_TRY(load_executor_of(wiring, setup.host->pool, origin.executor));
    const EvalTable& eval = wiring.manifest.eval;
    const Scored scored = TENON_TRY(scored_as(wiring.manifest, request.env));
    const std::int64_t seed = request.seed.value_or(eval.seed.value_or(wiring.manifest.run.seed));
    std::unique_ptr<Evaluator> evaluator =
        TENON_TRY(Evaluator::make(wiring, training, scored, *setup.host, executor.get(), learner,
                                  episodes.value_or(eval.episodes), static_cast<std::uint64_t>(seed)));
    const std::vector<double> live = live_at(wiring.live, origin.standing);
    return use(*evaluator, numbers_at(wiring, origin.standing, live));
}

std::optional<Score> with_checkpoint(const ScoringRequest& request, std::optional<std::int64_t> episodes,
                                     std::string_view done, const Notice& notice, const Use& use, Problems& problems) {
    if (Status known = check_overrides(request.overrides); !known) {
        problems.push_back(known.error());
        return std::nullopt;
    }
    RunRequest run{.folder = request.folder,
                   .checkpoint = request.checkpoint,
                   .plugins = request.plugins,
                   .overrides = for_played_env(request)};
    if (request.actions) {
        run.overrides.push_back({"eval.actions=" + *request.actions, "--actions"});
    }
    if (request.max_steps) {
        run.overrides.push_back({"eval.max_steps=" + std::to_string(*request.max_steps), "--max-steps"});
    }
    std::optional<OpenedRun> opened = open_run(run, done, notice, problems);
    if (!opened) {
        return std::nullopt;
    }
    Result<std::optional<Score>> result = evaluate(request, episodes, opened->setup, opened->checkpoint.folder, use);
    if (!result) {
        problems.push_back(std::move(result).error());
        return std::nullopt;
    }
    return *result;
}

}  // namespace

std::optional<CheckpointScore> score_checkpoint(const ScoringRequest& request, const Notice& notice,
                                                Problems& problems) {
    CheckpointScore out;
    const Use use = [&](Evaluator& evaluator, const RunNumbers& numbers) {
        Result<std::optional<Score>> score = evaluator.run(numbers);
        out.tasks = evaluator.task_scores();
        out.groups = evaluator.group_scores();
        return score;
    };
    const std::optional<Score> all = with_checkpoint(request, request.episodes, "scored", notice, use, problems);
    if (!all) {
        return std::nullopt;
    }
    out.all = *all;
    return out;
}

std::optional<Score> play_checkpoint(const ScoringRequest& request, const PlayEpisodes& play, const Notice& notice,
                                     Problems& problems) {
    const Use use = [&](Evaluator& evaluator, const RunNumbers& numbers) {
        const StopSignals signals;
        return play(evaluator, numbers, request.episodes.value_or(1), &StopSignals::requested);
    };
    return with_checkpoint(request, 1, "played", notice, use, problems);
}

std::optional<Score> play_checkpoint(const ScoringRequest& request, const Screen& screen, const Notice& notice,
                                     Problems& problems) {
    const PlayEpisodes play = [&](Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                  StopAsked stop) { return show_episodes(evaluator, numbers, episodes, screen, stop); };
    return play_checkpoint(request, play, notice, problems);
}

}  // namespace tenon
