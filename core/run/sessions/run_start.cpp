// SPDX-License-Identifier: Apache-2.0
// How a run begins: with new weights, with those of a checkpoint, or where it was stopped.
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/shards.hpp"
#include "engines/shards/shared_executor.hpp"
#include "run/sessions/resume.hpp"
#include "run/sessions/run.hpp"
#include "run/start/kinds.hpp"
#include "train/checkpoint/store.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/evaluations.hpp"

namespace tenon {

Status Run::prepare(const std::string& executor_before) {
    if (profile() != nullptr) {
        preparing_ = profile()->span(Work::kOther, "building programs");
        evaluating_ = profile()->span(Work::kEvaluating);
        recordings_ = profile()->span(Work::kRecording);
        saving_ = profile()->span(Work::kSaving);
    }
    const Timed timed(profile(), preparing_);
    const Wiring& wiring = *setup_.wiring;
    executor_ = TENON_TRY(load_executor_of(wiring, setup_.host->pool, executor_before, dump_,
                                           device_to_learn_on(wiring), true, setup_.host->exchange));
    if (shards_ != nullptr) {
        executor_ = make_shared_executor(std::move(executor_), shards_->group());
    }
    Executor* executor = executor_.get();
    if (executor != nullptr) {
        graph_ = learning_text(wiring);
    }
    trainer_ = TENON_TRY(Trainer::make(wiring, setup_.running, *setup_.host, executor));
    returns_.emplace(acting_facts(wiring));
    const EvalTable& eval = manifest().eval;
    const auto seed = static_cast<std::uint64_t>(eval.seed.value_or(manifest().run.seed));
    const bool evaluates = every(eval) > 0;
    if (evaluates && eval.background) {
        background_ = TENON_TRY(BackgroundEvaluation::make(*trainer_, *setup_.host, executor));
    }
    const std::size_t evaluations = evaluates && !eval.background ? evaluation_names(manifest()).size() : 0;
    for (std::size_t i = 0; i < evaluations; ++i) {
        evaluators_.push_back(TENON_TRY(Evaluator::make(wiring, lanes(), {.which = i, .task = {}}, *setup_.host,
                                                        executor, trainer_->learner(), eval.episodes, seed)));
    }
    if (eval.video && evaluations > 0) {
        filmed_ = TENON_TRY(Evaluator::make(wiring, lanes(), {}, *setup_.host, executor, trainer_->learner(), 1, seed));
    }
    return {};
}

Status Run::start_from(const std::filesystem::path& checkpoint) {
    returns_->begins_with_skill();
    Status done = restore_weights(trainer_->learner(), checkpoint);
    if (!done && done.error().help.empty()) {
        done.error().help =
            "--from reads the weights of all networks of the new run, so its [policy] tables must be as in the old "
            "one; policy.NAME.init = \"DIR\" reads those of one network";
    }
    return done ? restore_transforms(lanes(), checkpoint) : done;
}

Status Run::open(RunFolder folder) {
    folder_.emplace(std::move(folder));
    plugin_log_.emplace(folder_->path() / "log.txt");
    recorder_.emplace(TENON_TRY(Recorder::open(folder_->path(), *setup_.wiring, profile())));
    if (manifest().collector && manifest().collector->record) {
        recording_ = TENON_TRY(setup_.host->recordings.front()->open(*setup_.wiring, *trainer_, folder_->path()));
    }
    if (const std::string missing = missing_writer(manifest().log, writer_kinds()); !missing.empty()) {
        notice_(missing);
    }
    for (const std::string& part : lanes().without_state()) {
        notice_(part + " cannot save its state: a resumed run begins new episodes and is not identical");
    }
    for (const std::string& part : without_state(*trainer_)) {
        notice_(part + " cannot save its state: a resumed run is not identical");
    }
    if (setup_.wiring->collecting() != nullptr && !manifest().checkpoint.buffer && !only_learns(manifest())) {
        notice_("checkpoint.buffer = false: a resumed run begins without the collected frames and is not identical");
    }
    if (setup_.wiring->learns() && !only_learns(manifest()) && manifest().train.start_frames > run_length(manifest())) {
        notice_("train.start_frames is more than run.total_frames: the run ends before its first update");
    }
    return {};
}

Status Run::begin(RunFolder folder) {
    TENON_TRY(open(std::move(folder)));
    return recording_ ? recording_->restart() : Status();
}

Status Run::resume(RunFolder folder, bool changed) {
    resumed_ = true;
    TENON_TRY(clean_checkpoints(folder.checkpoints()));
    NewestCheckpoint newest = TENON_TRY(newest_checkpoint(folder.checkpoints()));
    const Origin origin = TENON_TRY(newest.checkpoint ? origin_of(newest.checkpoint->folder) : Origin{});
    if (Status length = check_length(folder, manifest(), position_of(manifest(), origin.standing)); !length) {
        folder.mark_released();  // nothing was begun, so the folder must not look as if its process had died
        return length;
    }
    TENON_TRY(shards_ != nullptr ? shards_->begin_from(newest.checkpoint ? newest.checkpoint->folder : "") : Status());
    TENON_TRY(prepare(origin.executor));
    TENON_TRY(open(std::move(folder)));
    if (!newest.notice.empty()) {
        notice_(newest.notice);
    }
    if (newest.checkpoint) {
        TENON_TRY(restore_from(newest.checkpoint->folder, changed));
    } else {
        notice_("there is no checkpoint in " + folder_->path().string() + " yet: the run starts at " + unit() + " 0");
        TENON_TRY(recorder_->keep(0, 0));
        TENON_TRY(recording_ ? recording_->restart() : Status());
    }
    if (finished()) {  // a run in which nothing is done keeps its manifest
        return {};
    }
    // With the present values of settings that may differ, so that the next --resume without a manifest continues this
    // run.
    return write_file(folder_->manifest(), resolved_manifest(*setup_.wiring));
}

Status Run::restore_from(const std::filesystem::path& checkpoint, bool changed) {
    const std::string folder = folder_->path().string();
    returns_->begins_with_skill();
    const auto shards = static_cast<std::size_t>(shard_count(manifest()));
    const std::size_t shards_before = shards_of(checkpoint);
    Result<Restored> restored = restore(*trainer_, checkpoint, shards != shards_before);
    if (!restored) {
        Problem problem = std::move(restored).error();
        if (changed && problem.help.empty()) {
            problem.help =
                "if a value that --change allows does not fit the checkpoint, restore it, or begin a new run with the "
                "old one's weights: --from " +
                folder;
        }
        return problem;
    }
    if (restored->extras.graph != graph_ && !changed) {
        return input_problem(
            "the plugins build a different update than when the run in " + folder + " was checkpointed", {},
            "use the plugin files of the run (plugins.toml in its folder), or begin a new run with --from " + folder);
    }
    if (Status cut = recorder_->keep(restored->extras.records, position()); !cut) {
        Problem problem = std::move(cut).error();
        problem.help = "begin a new run with its weights: --from " + folder;
        return problem;
    }
    TENON_TRY(recording_ ? recording_->restore(checkpoint) : Status());
    TENON_TRY(background_ ? background_->resume(checkpoint) : Status());
    if (shards != shards_before) {
        notice_("the checkpoint is of " + counted(shards_before, "shard") + ", and the run has " +
                std::to_string(shards) +
                " now: it continues with the weights and optimisers, and begins new episodes without the frames "
                "collected before");
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

}  // namespace tenon
