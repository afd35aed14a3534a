// SPDX-License-Identifier: Apache-2.0
// What a run records: one row of numbers at a time, from the trainer, evaluations and the clock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "run/metrics.hpp"
#include "train/evaluator.hpp"
#include "train/trainer.hpp"

namespace tenon {

class Recorder {
public:
    static Result<Recorder> open(const std::filesystem::path& folder, const Wiring& wiring);

    // Appends one record and forgets the trainer's means. score: of an evaluation at this very frame.
    Status record(Trainer& trainer, const Score* score, double seconds, double frames_per_s);

    [[nodiscard]] Metrics& metrics() { return metrics_; }

private:
    Recorder(Metrics metrics, const Wiring& wiring, std::size_t width);

    Metrics metrics_;
    const Wiring* wiring_;
    std::vector<double> row_;
};

// The names in the order of a row.
std::vector<std::string> metric_names(const Wiring& wiring);

}  // namespace tenon
