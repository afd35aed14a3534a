// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/data/number_text.hpp"
#include "base/error/listed.hpp"
#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "folder/records/requests.hpp"
#include "run/sessions/screen.hpp"
#include "run/start/shipped_manifest.hpp"
#include "train/checkpoint/store.hpp"
#include "train/loop/snapshot.hpp"
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

// A checkpoint changes nothing in a run, so that the clock may decide when one is written.
constexpr double kLongUnsavedS = 300;
constexpr double kShareOfSaving = 0.02;

}  // namespace

// Repeats the work that follows the writing of a checkpoint, because the process may have been killed in between.
Status Run::tidy_checkpoints() {
    TENON_TRY(mark_last(checkpoints(), saved_position_));
    std::vector<std::int64_t> best;
    std::ranges::transform(trainer_->standing().ranked, std::back_inserter(best), &Ranked::position);
    TENON_TRY(mark_best(checkpoints(), best));
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
    const Episodes& episodes = trainer_->source().episodes();
    return episodes.finished() >= Episodes::kWindow && episodes.mean_return() >= *target;
}

std::string Run::early_end() const {
    if (reached_return()) {
        return "run.stop_at_return is reached";
    }
    if (const std::string& why = trainer_->hooks().stop(); !why.empty()) {
        return why;
    }
    if (const auto& most = manifest().run.stop_at_episodes) {
        const auto ended = static_cast<std::int64_t>(trainer_->source().episodes().finished());
        if (ended >= *most) {
            return counted(ended, "training episode") + (ended == 1 ? " has" : " have") +
                   " ended (run.stop_at_episodes; with a larger one the run can be continued)";
        }
    }
    const std::int64_t patience = manifest().eval.patience;
    const std::int64_t since = trainer_->standing().since_best;
    return patience == 0 || since < patience ? ""
                                             : "the return has not become better in " + counted(since, "evaluation") +
                                                   " (eval.patience; with a larger one the run can be continued)";
}

Status Run::loop(bool quiet) {
    const StopSignals signals;
    const RequestSignals requests;
    const TerminalStyle style = terminal_style(STDERR_FILENO);
    std::vector<pthread_t> others = setup_.host->pool.workers();
    trainer_->add_threads(others);
    if (background_) {
        background_->add_threads(others);
    }
    StopReport report(std::move(others), unit(), style.redraws && !quiet);
    report.saved(saved_position_);
    Progress progress(quiet ? -1 : STDERR_FILENO, style, run_length(manifest()), unit_of(manifest()));
    began_s_ = saved_at_s_ = now_s();
    had_finished_ = finished();
    if (!had_finished_ && !trainer_->hooks().started()) {
        TENON_TRY(trainer_->hooks().call(TN_HOOK_STARTED, *trainer_));
    }
    if (!had_finished_) {
        progress.update({.frames = position(), .return_mean = std::nan("")}, began_s_);  // the rate counts from here
    }
    stopped_ = leaves();
    TENON_TRY(shards_ != nullptr && !stopped_ ? shards_->begin_in(folder_->path()) : Status());
    while (!finished() && !stopped_) {
        const int pauses = StopSignals::pauses();
        saved_all_ = false;
        TENON_TRY(round());
        warn(progress);
        take_requests(progress);
        stopped_ = trainer_->in_round();
        const std::int64_t saved_before = saved_position_;
        TENON_TRY(stopped_ ? Status() : after_round(*round_began_, report));
        tell(progress, saved_before);
        if (stopped_) {
            break;
        }
        round_began_.reset();
        const Episodes& episodes = trainer_->source().episodes();
        const double mean = episodes.finished() > 0 ? episodes.mean_return() : std::nan("");
        const ProgressState state{.frames = position(), .return_mean = mean};
        if (StopSignals::pauses() != pauses) {
            progress.skip(state, now_s());
        }
        progress.update(state, now_s());
        stopped_ = StopSignals::requested() || shard_stops_ || leaves();
    }
    progress.finish();
    TENON_TRY(saved_all_ ? Status() : checkpoint(report));
    if (recording_ && finished() && !recording_->is_written()) {
        const Timed timed(profile(), saving_);
        TENON_TRY(recording_->finish(folder_->manifest()));
    }
    if (finished() && !had_finished_) {
        TENON_TRY(trainer_->hooks().call(TN_HOOK_ENDED, *trainer_));
    }
    folder_->mark_released();
    return shards_ != nullptr ? shards_->end() : Status();
}

// Makes a new round, or the rest of the round in which the run was stopped.
Status Run::round() {
    if (round_began_ && !trainer_->in_round()) {
        return {};
    }
    round_began_ = round_began_.value_or(position());
    const std::int64_t before = position();
    const int pauses = StopSignals::pauses();
    const double start_s = now_s();
    Status done = shards_ == nullptr ? trainer_->round(StopSignals::overdue) : round_of_shards();
    if (StopSignals::pauses() == pauses) {
        working_s_ += now_s() - start_s;
        worked_ += position() - before;
    }
    return done;
}

// Shards make whole rounds, because all of them have to stop at the same place.
Status Run::round_of_shards() {
    TENON_TRY(shards_->begin_round());
    TENON_TRY(trainer_->round());
    shard_stops_ = TENON_TRY(shards_->end_round(*trainer_));
    return {};
}

Status Run::after_round(std::int64_t before, StopReport& report) {
    returns_->collected(trainer_->source().episodes(), trainer_->standing().updates,
                        static_cast<double>(position()) / static_cast<double>(run_length(manifest())));
    scores_.clear();
    late_.clear();
    late_is_kept_ = false;
    const bool at_the_end = position() >= run_length(manifest());
    const bool asked = std::exchange(evaluation_asked_, false);
    const bool due = at_the_end || asked || passed(before, position(), every(manifest().eval));
    if (background_ ? due || !early_end().empty() : due && !evaluators_.empty()) {
        const bool evaluated = TENON_TRY(background_ ? evaluate_async(due) : evaluate());
        if (!evaluated) {
            stopped_ = true;
            return {};
        }
    }
    const bool last = at_the_end || !early_end().empty();
    if (!scores_.empty() || !late_.empty() || last || passed(before, position(), every(manifest().log))) {
        TENON_TRY(record());
    }
    const bool best = late_is_kept_ || is_ranked(position());
    const bool due_checkpoint = best || last || passed(before, position(), every(manifest().checkpoint));
    if (!due_checkpoint && !unsaved_for_long()) {
        return {};
    }
    round_began_.reset();
    TENON_TRY(due_checkpoint ? trainer_->hooks().call(TN_HOOK_CHECKPOINT, *trainer_) : Status());
    return checkpoint(report);
}

bool Run::unsaved_for_long() const {
    const CheckpointTable& table = manifest().checkpoint;
    const double most = table.every_seconds.value_or(every(table) > 0 ? 0 : kLongUnsavedS);
    return most > 0 && now_s() - saved_at_s_ > std::max(most, saving_s_ / kShareOfSaving);
}

Status Run::record() {
    const Timed timed(profile(), recordings_);
    return recorder_->record(*trainer_, scores_, now_s() - began_s_, per_second());
}

Status Run::checkpoint(StopReport& report) {
    const Timed timed(profile(), saving_);
    const double start_s = now_s();
    TENON_TRY(recorder_->sync());
    const SnapshotExtras extras{.executor = std::string(executor_ == nullptr ? "" : executor_->name()),
                                .records = recorder_->records(),
                                .graph = graph_,
                                .scores = scores_.empty() ? late_ : scores_,
                                .round_began = round_began_.value_or(-1)};
    std::optional<PictureStrip> strip;
    const bool films = filmed_ && !scores_.empty();
    const auto fill = [&](const std::filesystem::path& folder) -> Status {
        TENON_TRY(shards_ != nullptr ? shards_->save(folder) : Status());
        TENON_TRY(save(*trainer_, extras, manifest().checkpoint.buffer, folder));
        TENON_TRY(shards_ != nullptr ? shards_->saved(folder) : Status());
        TENON_TRY(recording_ ? recording_->save(folder) : Status());
        if (background_ && background_->pending()) {
            TENON_TRY(background_->save(folder, extras.executor, BackgroundEvaluation::kPending));
        }
        return films ? film(*filmed_, trainer_->numbers(), folder / "video.mp4",
                            manifest().log.tensorboard ? &strip : nullptr)
                     : Status();
    };
    report.writes_checkpoint(true);
    Result<Checkpoint> written = write_checkpoint(checkpoints(), position(), fill);
    report.writes_checkpoint(false);
    TENON_TRY(std::move(written));
    if (strip) {
        const FrameSize size = strip->size();
        TENON_TRY(recorder_->picture(
            *trainer_, {.tag = "eval/video", .height = size.height, .width = size.width, .png = strip->whole()}));
    }
    saved_position_ = position();
    saved_all_ = true;
    report.saved(saved_position_);
    TENON_TRY(tidy_checkpoints());
    saved_at_s_ = now_s();
    saving_s_ = saved_at_s_ - start_s;
    return {};
}

void Run::warn(Progress& progress) {
    for (const Problem& warning : trainer_->take_warnings()) {
        progress.clear();
        notice_(render_unlabelled(warning));
    }
}

// Does what other processes have requested (requests.hpp).
void Run::take_requests(Progress& progress) {
    const AskedOfRun request = RequestSignals::take();
    const auto answer = [&](Level level, std::string_view text) {
        progress.clear();
        log(level, text);
    };
    if (request.level) {
        set_log_level(*request.level);
        answer(Level::kInfo, "another process has asked for these log lines");
    }
    if (request.evaluate && evaluators_.empty() && !background_) {
        answer(Level::kWarning,
               "another process has asked for an evaluation, but this run has none: eval.every_" + unit() + "s is 0");
    } else if (request.evaluate) {
        evaluation_asked_ = true;
        answer(Level::kInfo, "another process has asked for an evaluation at the end of this round");
    }
}

// Prints what was done in a round besides training.
void Run::tell(Progress& progress, std::int64_t saved_before) const {
    const bool saved = saved_position_ != saved_before;
    const std::vector<Score>& newest = scores_.empty() ? late_ : scores_;
    if ((!saved && newest.empty()) || !is_logged(Level::kDebug)) {
        return;
    }
    progress.clear();
    const std::string at = " at " + unit() + " " + std::to_string(position());
    if (!newest.empty()) {
        log(Level::kDebug, "evaluated" + at + ": return " + number_text(newest.front().return_mean));
    }
    if (saved) {
        log(Level::kDebug, "wrote a checkpoint" + at);
    }
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
    const std::vector<std::string> names = score_names(trainer_->wiring().manifest, trainer_->wiring().rewarded);
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
    if (!out.stopped && !out.had_finished) {
        judge(out);
    }
    if (recording_) {
        out.recorded = {.to = recording_->to(),
                        .episodes = recording_->episodes(),
                        .frames = recording_->frames(),
                        .written = recording_->is_written()};
    }
    out.spent = profile() != nullptr ? profile()->spent() : std::vector<Profile::Spent>();
    return out;
}

// Adds what the returns of an ended run show.
void Run::judge(TrainingResult& out) const {
    out.not_learnt = returns_->not_learnt(trainer_->source().episodes(), out.best_return);
    if (!out.not_learnt) {
        out.drawn_is_better = returns_->drawn_is_better();
        return;
    }
    const Parts& parts = setup_.wiring->parts;
    out.shipped = shipped_manifest_for(parts.training.env, parts.objectives.front().info.name, manifest().run.name,
                                       installed_manifests());
}

}  // namespace tenon
