// SPDX-License-Identifier: Apache-2.0
// What records the episodes that a run collects (collector.record): a folder core/engines/recording_NAME, which only
// the table of this program knows (run/start/kinds.hpp). A program has one or none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"

namespace tenon {

class Trainer;
struct Wiring;

// Episodes are first written to the run's folder, so that a resumed run continues the recording. When the run ends,
// they become the file or dataset.
class EpisodeRecording {
public:
    EpisodeRecording() = default;
    EpisodeRecording(const EpisodeRecording&) = delete;
    EpisodeRecording& operator=(const EpisodeRecording&) = delete;
    virtual ~EpisodeRecording() = default;

    // For a checkpoint: syncs the recording to the disk, and writes a file with its extent to the checkpoint's folder.
    virtual Status save(const std::filesystem::path& checkpoint) = 0;
    // For a run that begins, perhaps again because it has no checkpoint yet.
    virtual Status restart() = 0;
    // Continues from the checkpoint's position: later episodes are removed.
    virtual Status restore(const std::filesystem::path& checkpoint) = 0;

    // Writes the file or dataset, replacing the one that this run has written before.
    virtual Status finish(const std::filesystem::path& manifest) = 0;
    // Whether the file or dataset has all episodes that have been collected.
    [[nodiscard]] virtual bool is_written() const = 0;

    [[nodiscard]] virtual const std::filesystem::path& to() const = 0;
    [[nodiscard]] virtual std::uint64_t episodes() const = 0;
    [[nodiscard]] virtual std::uint64_t frames() const = 0;
};

class RecordingKind {
public:
    RecordingKind() = default;
    RecordingKind(const RecordingKind&) = delete;
    RecordingKind& operator=(const RecordingKind&) = delete;
    virtual ~RecordingKind() = default;

    // Reports a collector.record whose format is unknown. Call it when the plugins are found.
    virtual void check(const Wiring& wiring, Problems& problems) const = 0;
    // Checks, before anything is collected, that the target does not exist and that its format can be written.
    // `folder`: that of the run. Then call restart or restore. The wiring and the trainer must outlive it.
    [[nodiscard]] virtual Result<std::unique_ptr<EpisodeRecording>> open(const Wiring& wiring, Trainer& trainer,
                                                                         const std::filesystem::path& folder) const = 0;
};

// Checks collector.record, if the manifest has it.
void check_recording(const Wiring& wiring, Problems& problems);

}  // namespace tenon
