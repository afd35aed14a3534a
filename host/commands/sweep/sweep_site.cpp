// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/sweep_site.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "shared/history/history_reader.hpp"

namespace tenon {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

Point next_point(const SweepFile& file, const std::vector<Observation>& known, std::size_t number) {
    if (file.search == "grid") {
        return grid_point(file.space, number);
    }
    if (file.search == "random") {
        return random_point(file.space, file.seed, number);
    }
    return file.search == "tpe" ? tpe_point(file.space, known, file.seed, number)
                                : cost_aware_point(file.space, known, file.seed, number);
}

// The last value that the run has recorded. A problem: it has no such metric at all.
Result<double> score_of(const SweepFile& file, const std::filesystem::path& folder) {
    HistoryReader history(folder, {file.metric});
    TENON_TRY(history.read_more());
    if (history.records() > 0 && std::ranges::find(history.names(), file.metric) == history.names().end()) {
        const std::vector<std::string_view> names(history.names().begin(), history.names().end());
        return input_problem("no run records the metric '" + file.metric + "'" + did_you_mean(file.metric, names),
                             file.metric_place, "the metrics are the columns of " + (folder / "metrics.csv").string());
    }
    double out = kNoScore;
    for (const double value : history.column(file.metric)) {
        out = std::isfinite(value) ? value : out;
    }
    return out;
}

}  // namespace

std::vector<std::string> values_at(const SweepFile& file, const Point& point) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < point.size(); ++i) {
        out.push_back(value_text(file.keys[i], file.space[i], point[i]));
    }
    return out;
}

std::filesystem::path folder_of_trial(const std::filesystem::path& out, std::size_t number) {
    return out / ("trial-" + std::to_string(number));
}

SweepTrial next_trial(const SweepFile& file, const std::vector<Observation>& known, std::size_t number) {
    SweepTrial out{.number = number, .point = next_point(file, known, number), .values = {}, .scores = {}, .error = {}};
    out.values = values_at(file, out.point);
    return out;
}

Observation observation_of(const SweepFile& file, const SweepTrial& trial) {
    return {.point = trial.point, .loss = file.maximise ? -trial.score : trial.score, .cost = trial.seconds};
}

std::vector<SeedRun> runs_of(const SweepFile& file, const SweepTrial& trial, const std::filesystem::path& folder,
                             const std::vector<std::string>& more) {
    std::vector<std::string> words = {base_at(file, trial.point).file.string()};
    for (std::size_t i = file.bases.size() > 1 ? 1 : 0; i < trial.values.size(); ++i) {
        words.insert(words.end(), {"--set", file.keys[i].key + "=" + trial.values[i]});
    }
    words.insert(words.end(), more.begin(), more.end());
    std::vector<SeedRun> out;
    for (const std::int64_t seed : file.seeds) {
        out.push_back(seed_run(seed, folder / std::to_string(seed)));
        out.back().words = words;
    }
    return out;
}

Status take_results(const SweepFile& file, std::span<const SeedRun> runs, SweepTrial& trial) {
    double sum = 0;
    for (const SeedRun& run : runs) {
        trial.seconds += std::isfinite(run.seconds) ? run.seconds : 0;
        trial.scores.push_back(kNoScore);
        const std::string name = "the run with seed " + std::to_string(run.seed);
        if (run.code != 0) {
            if (trial.code == 0) {
                trial.code = run.code;
                trial.error = name + " failed" + (run.error.empty() ? "" : ": " + run.error);
            }
            continue;
        }
        const double score = TENON_TRY(score_of(file, run.folder));
        trial.scores.back() = score;
        sum += score;
        if (!std::isfinite(score) && trial.error.empty()) {
            trial.error = name + " has recorded no value of " + file.metric;
        }
    }
    trial.score = trial.error.empty() ? sum / static_cast<double>(runs.size()) : kNoScore;
    return {};
}

}  // namespace tenon
