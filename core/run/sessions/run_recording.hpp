// SPDX-License-Identifier: Apache-2.0
// Records the episodes that a run collects (collector.record). They are first written to the run's folder, so that a
// resumed run continues the recording. When the run ends, they become the file or dataset.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "run/frames/episode_file.hpp"
#include "run/frames/running_episodes.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

class RunRecording {
public:
    // Checks, before anything is collected, that the target does not exist and that its format can be written.
    // `folder`: that of the run. Then call restart or restore. The wiring and the trainer must outlive it.
    static Result<std::unique_ptr<RunRecording>> open(const Wiring& wiring, Trainer& trainer,
                                                      const std::filesystem::path& folder);

    // For a checkpoint: syncs the recording to the disk, and writes a file with its extent to the checkpoint's folder.
    Status save(const std::filesystem::path& checkpoint);
    // For a run that begins, perhaps again because it has no checkpoint yet.
    Status restart() { return file_.cut({}); }
    // Continues from the checkpoint's position: later episodes are removed.
    Status restore(const std::filesystem::path& checkpoint);

    // Writes the file or dataset, replacing the one that this run has written before.
    Status finish(const std::filesystem::path& manifest);
    // Whether the file or dataset has all episodes that have been collected.
    [[nodiscard]] bool is_written() const;

    [[nodiscard]] const std::filesystem::path& to() const { return to_; }
    [[nodiscard]] const EpisodeFile::Extent& extent() const { return file_.extent(); }

private:
    RunRecording(const Wiring& wiring, const Storage& storage, std::filesystem::path folder, std::string format,
                 EpisodeFile file);
    [[nodiscard]] std::filesystem::path mark() const { return folder_ / "written"; }
    [[nodiscard]] std::string mark_text() const;
    void visit(SavedFields& saved, EpisodeFile::Extent& extent);
    [[nodiscard]] bool owns_target() const;
    [[nodiscard]] Status check_target() const;
    [[nodiscard]] Status check_format() const;
    Status write(const std::filesystem::path& manifest) const;

    const Wiring& wiring_;
    std::filesystem::path folder_;  // below that of the run
    std::filesystem::path to_;
    std::string format_;  // of a dataset; empty: a file of frames
    std::vector<StorageColumn> columns_;
    EpisodeFile file_;
    RunningEpisodes running_;
};

}  // namespace tenon
