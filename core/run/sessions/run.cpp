// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/sync.hpp"
#include "config/manifest/pace.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/screen.hpp"
#include "run/sessions/signals.hpp"
#include "train/checkpoint/store.hpp"
#include "train/plan/evaluations.hpp"

namespace tenon {
namespace {

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Whether a multiple of `every` is in (before, after]; always false for 0.
bool passed(std::int64_t before, std::int64_t after, std::int64_t every) {
    return every > 0 && before / every != after / every;
}

}  // namespace

Status Run::prepare(const std::string& executor_before) {
    if (profile() != nullptr) {
        preparing_ = profile()->span(Work::kOther, "building programs");
        evaluating_ = profile()->span(Work::kEvaluating);
        recordings_ = profile()->span(Work::kRecording);
        saving_ = profile()->span(Work::kSaving);
    }
    const Timed timed(profile(), preparing_);
    Wiring& wiring = *setup_.wiring;
    Result<std::unique_ptr<Executor>> loaded = load_executor_of(wiring, setup_.host->pool, executor_before, dump_);
    if (!loaded) {
        return std::move(loaded).error();
    }
    executor_ = std::move(*loaded);
    Executor* executor = executor_.get();
    if (executor != nullptr) {
        graph_ = learning_text(wiring);
    }
    Result<std::unique_ptr<Trainer>> trainer = Trainer::make(wiring, setup_.running, *setup_.host, executor);
    if (!trainer) {
        return std::move(trainer).error();
    }
    trainer_ = std::move(*trainer);
    const EvalTable& eval = manifest().eval;
    const auto seed = static_cast<std::uint64_t>(eval.seed.value_or(manifest().run.seed));
    const bool evaluates = every(eval) > 0;
    if (evaluates && eval.background) {
        Result<std::unique_ptr<BackgroundEvaluation>> background =
            BackgroundEvaluation::make(*trainer_, *setup_.host, executor);
        if (!background) {
            return std::move(background).error();
        }
        background_ = std::move(*background);
    }
    const std::size_t evaluations = evaluates && !eval.background ? evaluation_names(manifest()).size() : 0;
    for (std::size_t i = 0; i < evaluations; ++i) {
        Result<std::unique_ptr<Evaluator>> evaluator =
            Evaluator::make(wiring, lanes(), {.which = i, .task = {}}, *setup_.host, executor, trainer_->learner(),
                            eval.episodes, seed);
        if (!evaluator) {
            return std::move(evaluator).error();
        }
        evaluators_.push_back(std::move(*evaluator));
    }
    if (eval.video && evaluations > 0) {
        Result<std::unique_ptr<Evaluator>> evaluator =
            Evaluator::make(wiring, lanes(), {}, *setup_.host, executor, trainer_->learner(), 1, seed);
        if (!evaluator) {
            return std::move(evaluator).error();
        }
        filmed_ = std::move(*evaluator);
    }
    return {};
}

Status Run::start_from(const std::filesystem::path& checkpoint) {
    Status done = restore_weights(trainer_->learner(), checkpoint);
    return done ? restore_transforms(lanes(), checkpoint) : done;
}

Status Run::open(RunFolder folder) {
    folder_.emplace(std::move(folder));
    Result<Recorder> recorder = Recorder::open(folder_->path(), *setup_.wiring, profile());
    if (!recorder) {
        return std::move(recorder).error();
    }
    recorder_.emplace(std::move(*recorder));
    if (manifest().collector && manifest().collector->record) {
        Result<std::unique_ptr<RunRecording>> opened = RunRecording::open(*setup_.wiring, *trainer_, folder_->path());
        if (!opened) {
            return std::move(opened).error();
        }
        recording_ = std::move(*opened);
    }
    for (const std::string& part : lanes().without_state()) {
        notice_(part + " cannot save its state: a resumed run begins new episodes and is not identical");
    }
    for (const std::string& part : without_state(*trainer_)) {
        notice_(part + " cannot save its state: a resumed run is not identical");
    }
    if (setup_.wiring->collecting() != nullptr && !manifest().checkpoint.buffer && !only_learns(manifest())) {
        notice_(
            "checkpoint.buffer = false: a resumed run begins without the collected frames and is not "
            "identical");
    }
    if (setup_.wiring->learns() && !only_learns(manifest()) && manifest().train.start_frames > run_length(manifest())) {
        notice_("train.start_frames is more than run.total_frames: the run ends before its first update");
    }
    return {};
}

Status Run::begin(RunFolder folder) {
    Status done = open(std::move(folder));
    return done && recording_ ? recording_->restart() : done;
}

Status Run::resume(RunFolder folder, bool changed) {
    resumed_ = true;
    if (Status cleaned = clean_checkpoints(folder.checkpoints()); !cleaned) {
        return cleaned;
    }
    Result<NewestCheckpoint> newest = newest_checkpoint(folder.checkpoints());
    if (!newest) {
        return std::move(newest).error();
    }
    const Result<Origin> origin = newest->checkpoint ? origin_of(newest->checkpoint->folder) : Origin{};
    if (!origin) {
        return origin.error();
    }
    if (Status prepared = prepare(origin->executor); !prepared) {
        return prepared;
    }
    if (Status opened = open(std::move(folder)); !opened) {
        return opened;
    }
    if (!newest->notice.empty()) {
        notice_(newest->notice);
    }
    Status done;
    if (newest->checkpoint) {
        done = restore_from(newest->checkpoint->folder, changed);
    } else {
        notice_("there is no checkpoint in " + folder_->path().string() + " yet: the run starts at " + unit() + " 0");
        done = recorder_->keep(0, 0);
        done = done && recording_ ? recording_->restart() : std::move(done);
    }
    // With the present values of settings that may differ: the next --resume without a manifest must continue this run.
    return done ? write_file(folder_->manifest(), resolved_manifest(*setup_.wiring)) : done;
}

Status Run::restore_from(const std::filesystem::path& checkpoint, bool changed) {
    Result<Restored> restored = restore(*trainer_, checkpoint);
    if (!restored) {
        return std::move(restored).error();
    }
    const std::string folder = folder_->path().string();
    if (restored->extras.graph != graph_ && !changed) {
        return input_problem(
            "the plugins build a different update than when the run in " + folder + " was checkpointed", {},
            "use the plugin files of the run (plugins.toml beside its manifest), or begin a new run with --from " +
                folder);
    }
    if (Status cut = recorder_->keep(restored->extras.records, position()); !cut) {
        Problem problem = std::move(cut).error();
        problem.help = "begin a new run with its weights: --from " + folder;
        return problem;
    }
    if (Status continued = recording_ ? recording_->restore(checkpoint) : Status(); !continued) {
        return continued;
    }
    if (Status begun = background_ ? background_->resume(checkpoint) : Status(); !begun) {
        return begun;
    }
    for (const std::string& notice : restored->notices) {
        notice_(notice);
    }
    saved_position_ = position();
    saved_all_ = true;
    scores_ = std::move(restored->extras.scores);
    if (restored->extras.round_began >= 0) {
        round_began_ = restored->extras.round_began;
    }
    if (finished()) {
        notice_("the run in " + folder + " has finished at " + std::to_string(position()) + " " + unit() + "s: " +
                (position() < run_length(manifest())
                     ? early_end()
                     : std::string("to continue it, give a larger ") + length_key(manifest()) + " (--set " +
                           length_key(manifest()) + "=N)"));
    }
    return tidy_checkpoints();
}

// Repeats what follows the writing of a checkpoint: the process may have been killed in between.
Status Run::tidy_checkpoints() {
    if (Status marked = mark_last(checkpoints(), saved_position_); !marked) {
        return marked;
    }
    std::vector<std::int64_t> best;
    std::ranges::transform(trainer_->standing().ranked, std::back_inserter(best), &Ranked::position);
    if (Status marked = mark_best(checkpoints(), best); !marked) {
        return marked;
    }
    return keep_newest(checkpoints(), static_cast<std::size_t>(manifest().checkpoint.keep));
}

bool Run::reached_return() const {
    const auto& target = manifest().run.stop_at_return;
    if (!target) {
        return false;
    }
    if (!evaluators_.empty() || background_) {
        const std::vector<Score>& newest = scores_.empty() ? late_ : scores_;
        return !newest.empty() && newest.front().return_mean >= *target;
    }
    const Episodes& episodes = trainer_->collector().episodes();
    return episodes.finished() >= Episodes::kWindow && episodes.mean_return() >= *target;
}

std::string Run::early_end() const {
    if (reached_return()) {
        return "run.stop_at_return is reached";
    }
    if (const std::string& why = trainer_->hooks().stop(); !why.empty()) {
        return why;
    }
    const std::int64_t patience = manifest().eval.patience;
    const std::int64_t since = trainer_->standing().since_best;
    return patience == 0 || since < patience
               ? ""
               : "the return has not become better in " + std::to_string(since) + " evaluation" +
                     (since == 1 ? "" : "s") + " (eval.patience; with a larger one the run can be continued)";
}

Status Run::loop(bool quiet) {
    const StopSignals signals;
    const ProgressStyle style = progress_style(STDERR_FILENO);
    std::vector<pthread_t> others = setup_.host->pool.workers();
    trainer_->add_threads(others);
    if (background_) {
        background_->add_threads(others);
    }
    StopReport report(std::move(others), unit(), style.terminal && !quiet);
    report.saved(saved_position_);
    Progress progress(quiet ? -1 : STDERR_FILENO, style, run_length(manifest()), unit_of(manifest()));
    began_s_ = now_s();
    had_finished_ = finished();
    if (!had_finished_ && !trainer_->hooks().started()) {
        if (Status done = trainer_->hooks().call(TN_HOOK_STARTED, *trainer_); !done) {
            return done;
        }
    }
    if (!had_finished_) {
        progress.update({.frames = position(), .return_mean = std::nan("")}, began_s_);  // the rate counts from here
    }
    stopped_ = leaves();
    while (!finished() && !stopped_) {
        const int pauses = StopSignals::pauses();
        saved_all_ = false;
        if (Status done = round(); !done) {
            return done;
        }
        warn(progress);
        stopped_ = trainer_->in_round();
        if (Status done = stopped_ ? Status() : after_round(*round_began_, report); !done) {
            return done;
        }
        if (stopped_) {
            break;
        }
        round_began_.reset();
        const Episodes& episodes = trainer_->collector().episodes();
        const double mean = episodes.finished() > 0 ? episodes.mean_return() : std::nan("");
        const ProgressState state{.frames = position(), .return_mean = mean};
        if (StopSignals::pauses() != pauses) {
            progress.skip(state, now_s());
        }
        progress.update(state, now_s());
        stopped_ = StopSignals::requested() || leaves();
    }
    progress.finish();
    Status done = saved_all_ ? Status() : checkpoint(report);
    if (done && recording_ && finished() && !recording_->is_written()) {
        const Timed timed(profile(), saving_);
        done = recording_->finish(folder_->manifest());
    }
    if (done && finished() && !had_finished_) {
        done = trainer_->hooks().call(TN_HOOK_ENDED, *trainer_);
    }
    if (done) {
        folder_->mark_released();
    }
    return done;
}

// A new round, or the rest of the round in which the run was stopped.
Status Run::round() {
    if (round_began_ && !trainer_->in_round()) {
        return {};
    }
    round_began_ = round_began_.value_or(position());
    const std::int64_t before = position();
    const int pauses = StopSignals::pauses();
    const double start_s = now_s();
    Status done = trainer_->round(StopSignals::overdue);
    if (StopSignals::pauses() == pauses) {
        working_s_ += now_s() - start_s;
        worked_ += position() - before;
    }
    return done;
}

Status Run::after_round(std::int64_t before, StopReport& report) {
    scores_.clear();
    late_.clear();
    late_is_kept_ = false;
    const bool at_the_end = position() >= run_length(manifest());
    const bool due = at_the_end || passed(before, position(), every(manifest().eval));
    if (background_ ? due || !early_end().empty() : due && !evaluators_.empty()) {
        const Result<bool> evaluated = background_ ? evaluate_beside(due) : evaluate();
        if (!evaluated) {
            return evaluated.error();
        }
        if (!*evaluated) {
            stopped_ = true;
            return {};
        }
    }
    const bool last = at_the_end || !early_end().empty();
    if (!scores_.empty() || !late_.empty() || last || passed(before, position(), every(manifest().log))) {
        if (Status done = record(); !done) {
            return done;
        }
    }
    const bool best = late_is_kept_ || is_ranked(position());
    if (!best && !last && !passed(before, position(), every(manifest().checkpoint))) {
        return {};
    }
    round_began_.reset();
    Status done = trainer_->hooks().call(TN_HOOK_CHECKPOINT, *trainer_);
    return done ? checkpoint(report) : done;
}

// False: it was asked to stop before the end, and there is no score.
Result<bool> Run::evaluate() {
    const Timed timed(profile(), evaluating_);
    for (const std::unique_ptr<Evaluator>& evaluator : evaluators_) {
        const Result<std::optional<Score>> score = evaluator->run(trainer_->numbers(), StopSignals::overdue);
        if (!score) {
            return score.error();
        }
        if (!*score) {
            scores_.clear();
            return false;
        }
        scores_.push_back(**score);
        for (const NamedScore& task : evaluator->task_scores()) {
            scores_.push_back(task.score);
        }
    }
    Status added = add_scores(scores_, position());
    return added ? Result<bool>(true) : Result<bool>(std::move(added).error());
}

bool Run::is_ranked(std::int64_t at) const {
    const std::vector<Ranked>& ranked = trainer_->standing().ranked;
    return std::ranges::find(ranked, at, &Ranked::position) != ranked.end();
}

// What follows from scores of the policy at that position.
Status Run::add_scores(std::span<const Score> scores, std::int64_t at) {
    Standing& standing = trainer_->standing();
    const double mean = scores.front().return_mean;
    ++standing.since_best;
    rank(standing.ranked, {.position = at, .score = mean}, static_cast<std::size_t>(manifest().checkpoint.best));
    if (standing.best_position < 0 || mean > standing.best_return) {
        standing.best_return = mean;
        standing.best_position = at;
        standing.since_best = 0;
    }
    return trainer_->hooks().call(TN_HOOK_EVALUATED, *trainer_, scores);
}

// Takes the scores of the evaluation that was begun last, and begins one of the policy as it is now, if it is due. At
// the end of the run, waits for that one, too. False as above; what is pending then stays so.
Result<bool> Run::evaluate_beside(bool due) {
    const Timed timed(profile(), evaluating_);
    if (background_->pending() && background_->position() != position()) {
        if (Result<bool> taken = take_scores(late_); !taken || !*taken) {
            return taken;
        }
        const Standing& then = background_->frozen();
        Status told = recorder_->record_late(
            {.frames = then.frames, .updates = then.updates, .position = background_->position(), .scores = late_});
        told = told ? keep_late() : std::move(told);
        if (!told) {
            return std::move(told).error();
        }
    }
    const bool at_the_end = position() >= run_length(manifest());
    if (due && !background_->pending() && (at_the_end || early_end().empty())) {
        if (Status begun = background_->begin(); !begun) {
            return std::move(begun).error();
        }
    }
    return at_the_end && background_->pending() ? take_scores(scores_) : Result<bool>(true);
}

Result<bool> Run::take_scores(std::vector<Score>& into) {
    Result<std::optional<std::vector<Score>>> taken = background_->take();
    if (!taken || !*taken) {
        return taken ? Result<bool>(false) : Result<bool>(std::move(taken).error());
    }
    into = std::move(**taken);
    Status added = add_scores(into, background_->position());
    return added ? Result<bool>(true) : Result<bool>(std::move(added).error());
}

// The policy that an evaluation beside the training has found to be among the best: the copy is all that is left of it,
// unless a checkpoint was due there.
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
    const Result<Checkpoint> written = write_checkpoint(checkpoints(), at, [&](const std::filesystem::path& draft) {
        Status saved = background_->save(draft, executor, "");
        return saved ? write_and_sync(draft / kScoredOnly, "for scoring only: nothing can be resumed from it\n")
                     : saved;
    });
    return written ? Status() : Status(written.error());
}

Status Run::record() {
    const Timed timed(profile(), recordings_);
    return recorder_->record(*trainer_, scores_, now_s() - began_s_, per_second());
}

Status Run::checkpoint(StopReport& report) {
    const Timed timed(profile(), saving_);
    if (Status synced = recorder_->sync(); !synced) {
        return synced;
    }
    const SnapshotExtras extras{.executor = std::string(executor_ == nullptr ? "" : executor_->name()),
                                .records = recorder_->records(),
                                .graph = graph_,
                                .scores = scores_.empty() ? late_ : scores_,
                                .round_began = round_began_.value_or(-1)};
    const auto fill = [&](const std::filesystem::path& folder) {
        Status saved = save(*trainer_, extras, manifest().checkpoint.buffer, folder);
        saved = saved && recording_ ? recording_->save(folder) : std::move(saved);
        if (saved && background_ && background_->pending()) {
            saved = background_->save(folder, extras.executor, BackgroundEvaluation::kPending);
        }
        return saved && filmed_ && !scores_.empty() ? film(*filmed_, trainer_->numbers(), folder / "video.mp4") : saved;
    };
    report.writes_checkpoint(true);
    Result<Checkpoint> written = write_checkpoint(checkpoints(), position(), fill);
    report.writes_checkpoint(false);
    if (!written) {
        return std::move(written).error();
    }
    saved_position_ = position();
    saved_all_ = true;
    report.saved(saved_position_);
    return tidy_checkpoints();
}

void Run::warn(Progress& progress) {
    for (const Problem& warning : trainer_->take_warnings()) {
        progress.clear();
        notice_(render_unlabelled(warning));
    }
}

double Run::per_second() const {
    return working_s_ > 0 ? static_cast<double>(worked_) / working_s_ : 0;
}

std::string Run::saved() const {
    return saved_position_ < 0
               ? "nothing was saved: the run had not reached its first checkpoint"
               : "the run is saved up to " + unit() + " " + std::to_string(saved_position_) +
                     "; fix the cause, then continue from there: tenon run --resume " + folder_->path().string();
}

void Run::discard_if_nothing_is_lost() const {
    if (folder_ && !resumed_ && saved_position_ < 0 && (!recorder_ || recorder_->records() == 0)) {
        folder_->discard();
    }
}

TrainingResult Run::result() const {
    const Standing& standing = trainer_->standing();
    TrainingResult out;
    out.out = folder_->path();
    out.frames = standing.frames;
    out.updates = standing.updates;
    out.executor = executor_ == nullptr ? "" : executor_->name();
    out.seconds = now_s() - began_s_;
    out.working_s = working_s_;
    out.unit = unit();
    out.per_second = per_second();
    const std::vector<std::string> names = score_names(manifest());
    const std::vector<Score>& newest = scores_.empty() ? late_ : scores_;
    for (std::size_t i = 0; i < newest.size() && i < names.size(); ++i) {
        out.last.push_back({names[i], newest[i]});
    }
    if (standing.best_position >= 0) {
        out.best_return = standing.best_return;
    }
    out.early_end = finished() && position() < run_length(manifest()) ? early_end() : "";
    out.had_finished = had_finished_;
    if (!out.had_finished) {
        out.metrics = recorder_->now(*trainer_, scores_, out.seconds, out.per_second);
    }
    out.stopped = stopped_ && !finished();
    if (recording_) {
        out.recorded = {.to = recording_->to(),
                        .episodes = recording_->extent().episodes,
                        .frames = recording_->extent().frames,
                        .written = recording_->is_written()};
    }
    out.spent = profile() != nullptr ? profile()->spent() : std::vector<Profile::Spent>();
    return out;
}

}  // namespace tenon
