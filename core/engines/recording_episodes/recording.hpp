// SPDX-License-Identifier: Apache-2.0
// The episodes of a run, first in its folder and then in the file or dataset that collector.record names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "engines/recording_episodes/episode_file.hpp"
#include "engines/recording_episodes/running_episodes.hpp"
#include "train/loop/trainer.hpp"
#include "train/plan/recording_kind.hpp"

namespace tenon {

class RunRecording final : public EpisodeRecording {
public:
    // As RecordingKind::open.
    static Result<std::unique_ptr<EpisodeRecording>> open(const Wiring& wiring, Trainer& trainer,
                                                          const std::filesystem::path& folder);

    Status save(const std::filesystem::path& checkpoint) override;
    Status restart() override { return file_.cut({}); }
    Status restore(const std::filesystem::path& checkpoint) override;
    Status finish(const std::filesystem::path& manifest) override;
    [[nodiscard]] bool is_written() const override;
    [[nodiscard]] const std::filesystem::path& to() const override { return to_; }
    [[nodiscard]] std::uint64_t episodes() const override { return file_.extent().episodes; }
    [[nodiscard]] std::uint64_t frames() const override { return file_.extent().frames; }

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
