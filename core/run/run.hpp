// SPDX-License-Identifier: Apache-2.0
// A run while it goes on: the trainer between its files, its evaluations and its clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "manifest/pace.hpp"
#include "run/executor.hpp"
#include "run/folder.hpp"
#include "run/progress.hpp"
#include "run/recorder.hpp"
#include "run/setup.hpp"
#include "run/stop_report.hpp"
#include "run/training.hpp"
#include "train/evaluator.hpp"
#include "train/snapshot.hpp"
#include "train/trainer.hpp"

namespace tenon {

// prepare, then perhaps start_from, then begin; or resume; then loop.
class Run {
public:
    // The notice is borrowed.
    Run(Setup setup, const Notice& notice, std::filesystem::path dump = {})
        : setup_(std::move(setup)), notice_(notice), dump_(std::move(dump)) {}

    // All that needs no folder: executor, trainer, evaluator. What fails here has left nothing on the disk.
    // `executor`: as load_executor_of's `before`.
    Status prepare(const std::string& executor = {});
    // The weights of another run's checkpoint.
    Status start_from(const std::filesystem::path& checkpoint);
    Status begin(RunFolder folder);
    // Prepares, then goes on from the newest checkpoint that is not damaged, from frame 0 where there is none.
    Status resume(RunFolder folder);
    Status loop(bool quiet);
    // What there is to go on from when loop has failed, as a sentence that helps.
    [[nodiscard]] std::string saved() const;
    [[nodiscard]] TrainingResult result() const;
    // After a failure: leaves no folder behind where this run has begun it and nothing worth keeping is in it.
    void discard_if_nothing_is_lost() const;

private:
    [[nodiscard]] const Manifest& manifest() const { return setup_.wiring->manifest; }
    [[nodiscard]] std::int64_t position() const { return trainer_->position(); }
    [[nodiscard]] std::string unit() const { return unit_of(manifest()); }
    [[nodiscard]] std::filesystem::path checkpoints() const { return folder_->checkpoints(); }
    [[nodiscard]] double per_second() const;
    [[nodiscard]] bool reached_return() const;
    [[nodiscard]] bool finished() const {
        return !round_began_ && (position() >= run_length(manifest()) || reached_return());
    }
    Status open(RunFolder folder);
    Status restore_from(const std::filesystem::path& checkpoint);
    Status tidy_checkpoints();
    Status round();
    Status after_round(std::int64_t before, StopReport& report);
    Result<bool> evaluate();
    Status record();
    Status checkpoint(StopReport& report);
    void warn(Progress& progress);

    // Members are destroyed from the last to the first.
    Setup setup_;
    const Notice& notice_;
    std::filesystem::path dump_;
    std::optional<RunFolder> folder_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Trainer> trainer_;
    std::vector<std::unique_ptr<Evaluator>> evaluators_;  // none: no evaluations; the first decides what is best
    std::optional<Recorder> recorder_;
    std::string graph_;
    std::vector<Score> scores_;         // of the evaluations at this very position
    std::int64_t saved_position_ = -1;  // of the newest checkpoint
    bool saved_all_ = false;            // nothing has been done since
    // Where the round began after whose end nothing has been recorded yet; there is one after the round only where the
    // run was stopped in the middle of it.
    std::optional<std::int64_t> round_began_;
    bool had_finished_ = false;
    double began_s_ = 0;
    double working_s_ = 0;  // collecting and updating
    std::int64_t worked_ = 0;
    bool resumed_ = false;
    bool stopped_ = false;
};

}  // namespace tenon
