// SPDX-License-Identifier: Apache-2.0
// The records of a run: one row of numbers from the trainer, the evaluations and the clock.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "base/profile/profile.hpp"
#include "folder/records/metrics.hpp"
#include "folder/records/writer_kind.hpp"
#include "train/loop/metrics.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

class Recorder {
public:
    // The profile (null: none) is that of the trainer.
    static Result<Recorder> open(const std::filesystem::path& folder, const Wiring& wiring,
                                 const Profile* profile = nullptr);

    // Appends one record and clears the trainer's means. scores: those of the evaluations at this position, or none.
    // per_second: frames per second, if the run collects.
    Status record(Trainer& trainer, std::span<const Score> scores, double seconds, double per_second);

    // Appends a record of an evaluation that ran in the background, of the policy at an earlier position: its counts
    // and scores alone. The writers get it after the next record, because files are cut by their steps. So call
    // record before the next checkpoint that is due.
    Status record_late(const Moment& then, std::int64_t position);

    // A picture for the writers, at the trainer's position.
    Status picture(const Trainer& trainer, const RecordedPicture& picture);

    [[nodiscard]] std::uint64_t records() const { return metrics_.records(); }

    // The values of a record at this time, by name. A value that has not been measured since the latest record is taken
    // from that record.
    [[nodiscard]] std::vector<std::pair<std::string, double>> now(const Trainer& trainer, std::span<const Score> scores,
                                                                  double seconds, double per_second) const;

    // Truncates all files to their content at the time of a checkpoint: this many records, the last at this position or
    // before.
    Status keep(std::uint64_t records, std::int64_t position);

    // Syncs all files to disk, before a checkpoint refers to their records.
    Status sync();

private:
    struct Writer {
        std::unique_ptr<RecordWriter> files;
        bool is_wanted = false;  // otherwise only existing files are kept in step
    };
    Recorder(Metrics metrics, std::vector<Writer> writers, std::vector<Metric> columns, const Wiring& wiring,
             const Profile* profile);

    using WorkTimes = std::array<double, kWorks>;

    [[nodiscard]] WorkTimes spent() const { return profile_ != nullptr ? profile_->seconds() : WorkTimes(); }
    void fill(std::vector<double>& row, const Trainer& trainer, std::span<const Score> scores, double seconds,
              double per_second, const WorkTimes& spent) const;

    Metrics metrics_;
    std::vector<Writer> writers_;
    std::vector<Metric> columns_;
    const Wiring* wiring_;
    const Profile* profile_;
    WorkTimes spent_{};                          // before the latest record
    std::vector<double> row_;                    // the latest record of this process
    std::vector<double> late_;                   // the latest record of late scores
    std::optional<std::int64_t> late_position_;  // if the writers do not have it yet
};

}  // namespace tenon
