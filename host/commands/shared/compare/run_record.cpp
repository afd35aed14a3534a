// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/run_record.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "folder/records/metric_names.hpp"
#include "shared/history/history_reader.hpp"

namespace tenon {
namespace {

// The clock starts again when a run is resumed.
double total_seconds(std::span<const double> elapsed) {
    double total = 0;
    double before = 0;
    for (const double now : elapsed) {
        if (!std::isnan(now)) {
            total += now >= before ? now - before : now;
            before = now;
        }
    }
    return total;
}

}  // namespace

std::string_view metric_name(DefaultMetric which) {
    return which == DefaultMetric::kEvaluations ? "eval/mean_reward" : metric::kEpisodeReturnMean;
}

Result<bool> has_evaluations(const std::filesystem::path& folder) {
    const std::string name(metric_name(DefaultMetric::kEvaluations));
    HistoryReader history(folder, {name});
    static_cast<void>(history.read_more());  // read_run_record reports damage
    return std::ranges::any_of(history.column(name), [](double value) { return !std::isnan(value); });
}

Result<RunRecord> read_run_record(const std::filesystem::path& folder, const std::string& metric) {
    RunInfo info = TENON_TRY(read_run_info(folder));
    RunRecord out;
    out.info = std::move(info);
    out.state = state_of(out.info);
    const std::string at(position_metric(out.info));
    const std::string clock(metric::kSeconds);
    HistoryReader history(folder, {at, clock, metric});
    if (const auto read = history.read_more(); !read) {
        out.damage = read.error().sentence;
    }
    out.names = history.names();
    const std::span<const double> positions = history.column(at);
    const std::span<const double> values = history.column(metric);
    for (std::size_t i = 0; i < values.size() && i < positions.size(); ++i) {
        const bool later = out.x.empty() || positions[i] > out.x.back();
        if (!std::isnan(values[i]) && later) {
            out.x.push_back(positions[i]);
            out.y.push_back(values[i]);
        }
    }
    out.position = positions.empty() ? 0 : positions.back();
    out.seconds = total_seconds(history.column(clock));
    return out;
}

Result<ScoreChoice> score_choice(const std::string& text) {
    if (text == "last" || text == "best") {
        return ScoreChoice{.kind = text == "last" ? ScoreChoice::Kind::kLast : ScoreChoice::Kind::kBest};
    }
    ScoreChoice out{.kind = ScoreChoice::Kind::kPosition};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, out.position);
    if (read.ec != std::errc{} || read.ptr != end || !(out.position >= 0)) {
        return input_problem("--at must be 'last', 'best' or a number of frames, but is '" + text + "'");
    }
    return out;
}

std::optional<ChosenScore> choose_score(const RunRecord& run, const ScoreChoice& choice) {
    std::size_t count = run.x.size();
    if (choice.kind == ScoreChoice::Kind::kPosition) {
        count = static_cast<std::size_t>(std::ranges::upper_bound(run.x, choice.position) - run.x.begin());
    }
    if (count == 0) {
        return std::nullopt;
    }
    const std::size_t at = choice.kind == ScoreChoice::Kind::kBest
                               ? static_cast<std::size_t>(std::ranges::max_element(run.y) - run.y.begin())
                               : count - 1;
    return ChosenScore{.score = run.y[at], .position = run.x[at]};
}

}  // namespace tenon
