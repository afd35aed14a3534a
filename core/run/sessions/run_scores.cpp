// SPDX-License-Identifier: Apache-2.0
// What a run does with the scores of its policy: of evaluations that it waits for, and of background evaluations.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/file/stop_signals.hpp"
#include "base/file/sync.hpp"
#include "run/sessions/run.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {

// Plays the evaluations. False: a stop was requested before the end, and there is no score.
Result<bool> Run::evaluate() {
    const Timed timed(profile(), evaluating_);
    for (const std::unique_ptr<Evaluator>& evaluator : evaluators_) {
        const std::optional<Score> score = TENON_TRY(evaluator->run(trainer_->numbers(), StopSignals::overdue));
        if (!score) {
            scores_.clear();
            return false;
        }
        scores_.push_back(*score);
        std::ranges::copy(evaluator->part_scores(), std::back_inserter(scores_));
    }
    TENON_TRY(add_scores(scores_, position()));
    return true;
}

bool Run::is_ranked(std::int64_t at) const {
    const std::vector<Ranked>& ranked = trainer_->standing().ranked;
    return std::ranges::find(ranked, at, &Ranked::position) != ranked.end();
}

// Uses the scores of the policy at that position.
Status Run::add_scores(std::span<const Score> scores, std::int64_t at) {
    Standing& standing = trainer_->standing();
    const double mean = scores.front().return_mean;
    returns_->evaluated(scores.front(), trainer_->source().episodes());
    ++standing.since_best;
    rank(standing.ranked, {.position = at, .score = mean}, static_cast<std::size_t>(manifest().checkpoint.best));
    if (standing.best_position < 0 || mean > standing.best_return) {
        standing.best_return = mean;
        standing.best_position = at;
        standing.since_best = 0;
    }
    return trainer_->hooks().call(TN_HOOK_EVALUATED, *trainer_, scores);
}

// Takes the scores of the last background evaluation, and begins another one with the present policy if it is due. At
// the end of the run it waits for that one, too. False as above; a pending evaluation then stays pending.
Result<bool> Run::evaluate_async(bool due) {
    const Timed timed(profile(), evaluating_);
    if (background_->pending() && background_->position() != position()) {
        if (Result<bool> taken = take_scores(late_); !taken || !*taken) {
            return taken;
        }
        const Standing& then = background_->frozen();
        TENON_TRY(recorder_->record_late({.frames = then.frames, .updates = then.updates, .scores = late_},
                                         background_->position()));
        TENON_TRY(keep_late());
    }
    const bool at_the_end = position() >= run_length(manifest());
    if (due && !background_->pending() && (at_the_end || early_end().empty())) {
        TENON_TRY(background_->begin());
    }
    return at_the_end && background_->pending() ? take_scores(scores_) : Result<bool>(true);
}

Result<bool> Run::take_scores(std::vector<Score>& into) {
    std::optional<std::vector<Score>> taken = TENON_TRY(background_->take());
    if (!taken) {
        return false;
    }
    into = *std::move(taken);
    TENON_TRY(add_scores(into, background_->position()));
    return true;
}

// Keeps the policy that a background evaluation has found to be among the best. Only the copy has its weights, unless a
// checkpoint was due at that position.
Status Run::keep_late() {
    const std::int64_t at = background_->position();
    late_is_kept_ = is_ranked(at);
    const std::filesystem::path folder = checkpoints() / std::to_string(at);
    std::error_code code;
    if (!late_is_kept_ ||
        (std::filesystem::exists(folder, code) && !std::filesystem::exists(folder / kScoredOnly, code))) {
        return {};
    }
    const std::string executor(executor_ == nullptr ? "" : executor_->name());
    const auto fill = [&](const std::filesystem::path& draft) -> Status {
        TENON_TRY(background_->save(draft, executor, ""));
        return write_and_sync(draft / kScoredOnly, "for scoring only: nothing can be resumed from it\n");
    };
    TENON_TRY(write_checkpoint(checkpoints(), at, fill));
    return {};
}

}  // namespace tenon
