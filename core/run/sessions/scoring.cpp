// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/scoring.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "base/file/stop_signals.hpp"
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
    RunRequest run{.folder = request.folder,
                   .checkpoint = request.checkpoint,
                   .plugins = request.plugins,
                   .overrides = request.overrides};
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
    if (!is_done(result, problems)) {
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
