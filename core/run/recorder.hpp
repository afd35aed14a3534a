// SPDX-License-Identifier: Apache-2.0
// What a run records: one row of numbers at a time, from the trainer, evaluations and the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error/result.hpp"
#include "run/event_files.hpp"
#include "run/metrics.hpp"
#include "train/evaluator.hpp"
#include "train/trainer.hpp"

namespace tenon {

class Recorder {
public:
    static Result<Recorder> open(const std::filesystem::path& folder, const Wiring& wiring);

    // Appends one record and forgets the trainer's means. scores: of the evaluations at this very position, or none.
    // per_second: frames, where the run collects.
    Status record(Trainer& trainer, std::span<const Score> scores, double seconds, double per_second);

    [[nodiscard]] std::uint64_t records() const { return metrics_.records(); }

    // What a record would hold now, by name; where nothing has been measured since the newest one, what stood there.
    [[nodiscard]] std::vector<std::pair<std::string, double>> now(const Trainer& trainer, std::span<const Score> scores,
                                                                  double seconds, double per_second) const;

    // Cuts all files to what they held when a checkpoint was written: so many records, the last at this position or
    // before.
    Status keep(std::uint64_t records, std::int64_t position);

    // Puts all files on the disk, before a checkpoint refers to their records.
    Status sync();

private:
    Recorder(Metrics metrics, EventFiles events, const Wiring& wiring, std::size_t width);

    void fill(std::vector<double>& row, const Trainer& trainer, std::span<const Score> scores, double seconds,
              double per_second) const;

    Metrics metrics_;
    EventFiles events_;
    const Wiring* wiring_;
    std::size_t evaluations_;
    std::vector<double> row_;  // of the newest record of this process
};

// The names in the order of a row.
std::vector<std::string> metric_names(const Wiring& wiring);

}  // namespace tenon
