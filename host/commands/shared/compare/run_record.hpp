// SPDX-License-Identifier: Apache-2.0
// The data of one run for a comparison: a metric over its length, its score, and its cost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "shared/history/run_info.hpp"
#include "shared/history/run_state.hpp"

namespace tenon {

struct RunRecord {
    RunInfo info;
    RunState state = RunState::kEnded;
    std::vector<std::string> names;  // of all its metrics
    std::vector<double> x;           // positions at which the metric has a value, increasing
    std::vector<double> y;
    double position = 0;  // of its last record
    double seconds = 0;   // including the time before it was resumed
    std::string damage;   // why its records end early; empty: they do not
};

// The default metric is that of evaluations if the run has any, otherwise that of training episodes.
enum class DefaultMetric : bool { kRollouts, kEvaluations };
std::string_view metric_name(DefaultMetric which);

Result<RunRecord> read_run_record(const std::filesystem::path& folder, const std::string& metric);

// Whether the run has evaluated anything.
Result<bool> has_evaluations(const std::filesystem::path& folder);

// "last", "best" (the highest), or at a position: the last at or before it.
struct ScoreChoice {
    enum class Kind : std::uint8_t { kLast, kBest, kPosition } kind = Kind::kLast;
    double position = 0;
};
Result<ScoreChoice> score_choice(const std::string& text);

struct ChosenScore {
    double score = 0;
    double position = 0;
};
// Nothing if the run has none (yet).
std::optional<ChosenScore> choose_score(const RunRecord& run, const ScoreChoice& choice);

}  // namespace tenon
