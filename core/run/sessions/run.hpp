// SPDX-License-Identifier: Apache-2.0
// A run in progress: the trainer with its files, evaluations and clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/log/plugin_log.hpp"
#include "config/manifest/pace.hpp"
#include "engines/shards/shards.hpp"
#include "folder/records/folder.hpp"
#include "run/sessions/background.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/recorder.hpp"
#include "run/sessions/return_watch.hpp"
#include "run/sessions/stop_report.hpp"
#include "run/sessions/training.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/collect/evaluator.hpp"
#include "train/loop/trainer.hpp"
#include "train/plan/recording_kind.hpp"

namespace tenon {

// Call prepare, then optionally start_from, then begin; or resume. Then call loop.
class Run {
public:
    // The notice is borrowed, and so are the shards, of which this process is number 0; null: the run has only one.
    Run(Setup setup, const Notice& notice, const Leave& leave, std::filesystem::path dump = {},
        Shards* shards = nullptr)
        : setup_(std::move(setup)), notice_(notice), leave_(leave), dump_(std::move(dump)), shards_(shards) {}

    // Makes everything that needs no folder: executor, trainer, evaluator. A failure leaves nothing on disk.
    // `executor`: the `before` of load_executor_of.
    Status prepare(const std::string& executor = {});
    // Starts with the weights of another run's checkpoint.
    Status start_from(const std::filesystem::path& checkpoint);
    Status begin(RunFolder folder);
    // Prepares, then continues from the newest undamaged checkpoint, or from frame 0 if there is none. `changed`: some
    // values differ from the run's, so that its update may differ.
    Status resume(RunFolder folder, bool changed);
    Status loop(bool quiet);
    // The checkpoint from which the run can be resumed after loop has failed, as a sentence of help.
    [[nodiscard]] std::string saved() const;
    [[nodiscard]] TrainingResult result() const;
    // After a failure: removes the folder if this run has created it and it contains nothing of value.
    void discard_if_nothing_is_lost() const;

private:
    [[nodiscard]] const Manifest& manifest() const { return setup_.wiring->manifest; }
    [[nodiscard]] Lanes& lanes() { return trainer_->source().lanes(); }
    [[nodiscard]] std::int64_t position() const { return trainer_->position(); }
    [[nodiscard]] std::string unit() const { return unit_of(manifest()); }
    [[nodiscard]] std::filesystem::path checkpoints() const { return folder_->checkpoints(); }
    [[nodiscard]] double per_second() const { return working_s_ > 0 ? static_cast<double>(worked_) / working_s_ : 0; }
    [[nodiscard]] Profile* profile() const { return setup_.host->profile.get(); }
    [[nodiscard]] bool reached_return() const;
    // Why the run ends now, before its full length; empty: it goes on.
    [[nodiscard]] std::string early_end() const;
    [[nodiscard]] bool finished() const {
        return !round_began_ && (position() >= run_length(manifest()) || !early_end().empty());
    }
    Status open(RunFolder folder);
    Status restore_from(const std::filesystem::path& checkpoint, bool changed);
    [[nodiscard]] bool leaves() const {
        const Standing& standing = trainer_->standing();
        return (leave_.at_frames && standing.frames >= *leave_.at_frames) ||
               (leave_.at_updates && standing.updates >= *leave_.at_updates);
    }
    Status tidy_checkpoints();
    Status round();
    Status round_of_shards();
    Status after_round(std::int64_t before, StopReport& report);
    Result<bool> evaluate();
    Result<bool> evaluate_async(bool due);
    Result<bool> take_scores(std::vector<Score>& into);
    Status add_scores(std::span<const Score> scores, std::int64_t at);
    Status keep_late();
    [[nodiscard]] bool is_ranked(std::int64_t at) const;
    Status record();
    [[nodiscard]] bool unsaved_for_long() const;
    Status checkpoint(StopReport& report);
    void warn(Progress& progress);
    void take_requests(Progress& progress);
    void judge(TrainingResult& out) const;
    void tell(Progress& progress, std::int64_t saved_before) const;

    // Members are destroyed from the last to the first.
    Setup setup_;
    const Notice& notice_;
    Leave leave_;
    std::filesystem::path dump_;
    Shards* shards_;
    std::optional<RunFolder> folder_;
    std::optional<PluginLog> plugin_log_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Trainer> trainer_;
    std::vector<std::unique_ptr<Evaluator>> evaluators_;  // may be empty; the first decides which checkpoint is best
    // plays instead of these; null: evaluations interrupt the training
    std::unique_ptr<BackgroundEvaluation> background_;
    std::unique_ptr<Evaluator> filmed_;  // the first one's env with a single lane; null: no video
    std::optional<Recorder> recorder_;
    std::optional<ReturnWatch> returns_;
    std::unique_ptr<EpisodeRecording> recording_;  // null: collected episodes are not recorded
    std::string graph_;
    std::vector<Score> scores_;         // of the evaluations at the present position
    std::vector<Score> late_;           // of evaluations at an earlier position, taken after this round
    bool late_is_kept_ = false;         // whether their policy is kept as a checkpoint, because they are among the best
    std::int64_t saved_position_ = -1;  // position of the newest checkpoint
    bool saved_all_ = false;            // whether nothing has changed since
    double saved_at_s_ = 0;             // when it was complete, or the loop began
    double saving_s_ = 0;               // how long the newest one has taken
    // The start of the latest round after which nothing has been recorded. Set after a round only if the run was
    // stopped in the middle of it.
    std::optional<std::int64_t> round_began_;
    std::size_t preparing_ = 0;  // this and the next three: spans of the host's profile
    std::size_t evaluating_ = 0;
    std::size_t recordings_ = 0;
    std::size_t saving_ = 0;
    bool evaluation_asked_ = false;  // by another process
    bool had_finished_ = false;
    double began_s_ = 0;
    double working_s_ = 0;  // time spent collecting and updating
    std::int64_t worked_ = 0;
    bool resumed_ = false;
    bool stopped_ = false;
    bool shard_stops_ = false;  // a signal has asked another shard to stop
};

}  // namespace tenon
