// SPDX-License-Identifier: Apache-2.0
#include "shared/history/run_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "folder/records/lock.hpp"
#include "folder/records/metric_names.hpp"

namespace tenon {
namespace {

std::optional<double> number_at(const RunInfo& run, std::string_view key) {
    const std::string text = plain_value(run.values, key);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

// Whether the run has a checkpoint at its full length, by the name to which the link `last` points.
bool has_last_checkpoint(const RunInfo& run) {
    std::error_code code;
    const std::string name = std::filesystem::read_symlink(run.folder / "checkpoints" / "last", code).filename();
    std::int64_t position = 0;
    std::from_chars(name.data(), name.data() + name.size(), position);
    return run.length > 0 && position >= run.length;
}

// The returns of the first evaluation, which decide when a run ends.
std::span<const double> scores(const HistoryReader& history) {
    const auto& names = history.names();
    const auto found = std::ranges::find_if(names, [](const std::string& name) {
        return name.starts_with("eval/") && name.ends_with(metric::kEvalReturnMean);
    });
    return found == names.end() ? std::span<const double>() : history.column(*found);
}

bool reached_return(const RunInfo& run, const HistoryReader& history) {
    const std::optional<double> target = number_at(run, "run.stop_at_return");
    const std::span<const double> evaluated = scores(history);
    const bool has_scores = std::ranges::any_of(evaluated, [](double score) { return !std::isnan(score); });
    const std::span<const double> returns = has_scores ? evaluated : history.column(metric::kEpisodeReturnMean);
    return target && !returns.empty() && returns.back() >= *target;
}

bool reached_episodes(const RunInfo& run, const HistoryReader& history) {
    const std::optional<double> most = number_at(run, "run.stop_at_episodes");
    const std::span<const double> episodes = history.column(metric::kEpisodes);
    return most && !episodes.empty() && episodes.back() >= *most;
}

bool lost_patience(const RunInfo& run, const HistoryReader& history) {
    const double patience = number_at(run, "eval.patience").value_or(0);
    double best = 0;
    double since = -1;  // evaluations since the best one; -1: there was none
    for (const double score : scores(history)) {
        if (!std::isnan(score)) {
            since = since < 0 || score > best ? 0 : since + 1;
            best = since == 0 ? score : best;
        }
    }
    return patience > 0 && since >= patience;
}

}  // namespace

std::string_view name_of(RunState state) {
    constexpr std::array<std::string_view, 4> kNames = {"running", "ended", "stopped", "died"};
    return kNames[static_cast<std::size_t>(state)];
}

RunState state_of(const RunInfo& run) {
    HistoryReader history(run.folder);
    const bool needed = lock_state(run.folder) != LockState::kHeld && !has_last_checkpoint(run);
    if (needed) {
        static_cast<void>(history.read_more());  // if a record is damaged, those before it count
    }
    return state_of(run, history);
}

RunState state_of(const RunInfo& run, const HistoryReader& history) {
    const LockState lock = lock_state(run.folder);
    if (lock == LockState::kHeld) {
        return RunState::kRunning;
    }
    const std::span<const double> positions = history.column(position_metric(run));
    const bool whole = run.length > 0 && !positions.empty() && positions.back() >= static_cast<double>(run.length);
    if (whole || has_last_checkpoint(run) || reached_return(run, history) || reached_episodes(run, history) ||
        lost_patience(run, history)) {
        return RunState::kEnded;
    }
    return lock == LockState::kReleased ? RunState::kStopped : RunState::kDied;
}

}  // namespace tenon
