// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/comparison.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "shared/compare/grouping.hpp"

namespace tenon {
namespace {

constexpr std::size_t kThresholds = 51;         // of a profile
constexpr std::uint32_t kProfileDraws = 2'000;  // for each, as rliable does

// Null if there is none of that name.
Statistic statistic_named(const std::string& name) {
    return name == "iqm"      ? interquartile_mean
           : name == "mean"   ? mean_of_means
           : name == "median" ? median_score
                              : nullptr;
}

struct Extremes {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

// The least and the largest score of each task.
std::vector<Extremes> extremes_of(const Comparison& c) {
    std::vector<Extremes> out(c.tasks.size());
    for (const ComparedGroup& group : c.groups) {
        for (const ComparedRun& run : group.runs) {
            out[run.task].add(run.score.score);
        }
    }
    return out;
}

// Scores of several tasks can be averaged only on one scale.
Status choose_ranges(Comparison& c, const std::vector<ScoreRange>& given) {
    for (const ScoreRange& range : given) {
        if (!(range.high > range.low)) {
            return input_problem("the range of scores must be LOW:HIGH with HIGH above LOW");
        }
        if (!range.task.empty() && std::ranges::find(c.tasks, range.task) == c.tasks.end()) {
            return input_problem("--range names the task '" + range.task + "', which is none of these runs" +
                                 did_you_mean(range.task, {c.tasks.begin(), c.tasks.end()}));
        }
    }
    if (given.empty() && c.tasks.size() == 1) {
        return {};
    }
    const std::vector<Extremes> extremes = extremes_of(c);
    for (std::size_t task = 0; task < c.tasks.size(); ++task) {
        auto found = std::ranges::find(given, c.tasks[task], &ScoreRange::task);
        found = found != given.end() ? found : std::ranges::find(given, std::string(), &ScoreRange::task);
        if (found != given.end()) {
            c.ranges.push_back({.task = c.tasks[task], .low = found->low, .high = found->high});
            continue;
        }
        const Extremes& all = extremes[task];
        c.ranges.push_back(
            {.task = c.tasks[task], .low = all.low, .high = all.high > all.low ? all.high : all.low + 1});
    }
    if (given.empty()) {
        c.notes.emplace_back(
            "scores of different tasks are scaled: 0 and 1 are the lowest and highest score of each (--range sets "
            "others)");
    }
    return {};
}

double scaled(const Comparison& c, std::size_t task, double score) {
    return c.ranges.empty() ? score : (score - c.ranges[task].low) / (c.ranges[task].high - c.ranges[task].low);
}

void fill_scores(Comparison& c, ComparedGroup& group) {
    group.scores.resize(c.tasks.size());
    for (const ComparedRun& run : group.runs) {
        group.scores[run.task].push_back(scaled(c, run.task, run.score.score));
        group.seconds += run.record.seconds;
        group.frames += run.record.position;
    }
    group.iqm = estimate(group.scores, interquartile_mean);
    group.median = estimate(group.scores, median_score);
    group.mean = estimate(group.scores, mean_of_means);
    if (c.target) {
        group.gap = estimate(group.scores, [&](const Scores& scores) { return optimality_gap(scores, *c.target); });
    }
}

void fill_curve(const Comparison& c, ComparedGroup& group, Statistic statistic) {
    std::vector<std::vector<double>> values;
    values.reserve(group.runs.size());
    std::vector<RunCurve> curves;
    for (const ComparedRun& run : group.runs) {
        std::vector<double>& y = values.emplace_back(run.record.y);
        std::ranges::for_each(y, [&](double& value) { value = scaled(c, run.task, value); });
        curves.push_back({.task = run.task, .x = &run.record.x, .y = &y});
    }
    group.curve = align(curves, c.tasks.size(), statistic);
}

void fill_profiles(Comparison& c) {
    Extremes all;
    for (const ComparedGroup& group : c.groups) {
        for (const std::vector<double>& task : group.scores) {
            std::ranges::for_each(task, [&](double score) { all.add(score); });
        }
    }
    const double low = all.low - (all.high - all.low) / 20;  // where all runs are still above
    for (std::size_t i = 0; i < kThresholds; ++i) {
        c.thresholds.push_back(low + (all.high - low) * static_cast<double>(i) / (kThresholds - 1));
    }
    for (ComparedGroup& group : c.groups) {
        for (const double threshold : c.thresholds) {
            const auto above = [&](const Scores& scores) { return fraction_above(scores, threshold); };
            group.profile.push_back(estimate(group.scores, above, {.draws = kProfileDraws}));
        }
    }
}

void fill_pairs(Comparison& c) {
    for (std::size_t x = 0; x < c.groups.size(); ++x) {
        for (std::size_t y = x + 1; y < c.groups.size(); ++y) {
            const std::vector<Scores> both{c.groups[x].scores, c.groups[y].scores};
            const auto probability = [](std::span<const Scores> of) {
                return probability_of_improvement(of[0], of[1]);
            };
            c.pairs.push_back({.x = x, .y = y, .probability = estimate(std::span<const Scores>(both), probability)});
        }
    }
}

// Whether all have the same unit.
bool note_units(Comparison& c) {
    for (const ComparedGroup& group : c.groups) {
        for (const ComparedRun& run : group.runs) {
            if (run.record.info.counts_updates != c.counts_updates) {
                c.notes.emplace_back("some runs count frames and others updates, so the curves have no common axis");
                return false;
            }
        }
    }
    return true;
}

// Curves end with their shortest run: a mean of fewer runs would jump where it ends.
void note_lengths(Comparison& c) {
    for (const ComparedGroup& group : c.groups) {
        const auto end = [](const ComparedRun& run) { return run.record.x.back(); };
        const auto [shortest, longest] = std::ranges::minmax_element(group.runs, {}, end);
        const auto text = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
        if (end(*shortest) < end(*longest)) {
            c.notes.push_back("the runs of " + group.name + " end between " + text(end(*shortest)) + " and " +
                              text(end(*longest)) + "; their curve ends with the shortest");
        }
    }
}

// Longer runs usually reach more, so that the comparison says little about their algorithms.
void note_unequal_groups(Comparison& c) {
    const auto mean = [](const ComparedGroup& group) { return group.frames / static_cast<double>(group.runs.size()); };
    const auto [shortest, longest] = std::ranges::minmax_element(c.groups, {}, mean);
    const bool at_ends = c.at == "last" || c.at == "best";
    if (at_ends && mean(*longest) > 1.2 * mean(*shortest)) {
        const auto text = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
        const char* const unit = c.counts_updates ? " updates" : " frames";
        c.notes.push_back("the runs of " + longest->name + " are longer (" + text(mean(*longest)) + unit +
                          ") than those of " + shortest->name + " (" + text(mean(*shortest)) + "); --at " +
                          text(mean(*shortest)) + " compares both at the same length");
    }
}

// One run of each says nothing about seeds.
void note_single_runs(Comparison& c) {
    const bool single = std::ranges::all_of(c.groups, [](const ComparedGroup& each) { return each.runs.size() == 1; });
    if (single && c.groups.size() > 1) {
        c.notes.emplace_back("one run of each has no interval: `tenon run MANIFEST --seeds 0-4 --out DIR` makes five");
    }
}

}  // namespace

Result<Comparison> compare_runs(const CompareRequest& request) {
    const Statistic statistic = statistic_named(request.statistic);
    if (statistic == nullptr) {
        return input_problem("--statistic must be 'iqm', 'mean' or 'median', but is '" + request.statistic + "'");
    }
    std::string metric = TENON_TRY(choose_metric(request));
    Comparison out;
    out.metric = std::move(metric);
    out.at = request.at;
    out.statistic = request.statistic;
    std::vector<ComparedGroup> groups = TENON_TRY(group_runs(request, out.metric, out.notes));
    out.groups = std::move(groups);
    out.counts_updates = out.groups.front().runs.front().record.info.counts_updates;
    assign_tasks(out.groups, request.task_key, out.tasks, out.notes);
    note_mixed_groups(out.groups, out.tasks.size(), out.notes);
    note_repeated_seeds(out.groups, out.notes);
    TENON_TRY(choose_ranges(out, request.ranges));
    out.target = request.target || out.ranges.empty() ? request.target : 1.0;
    for (ComparedGroup& group : out.groups) {
        fill_scores(out, group);
        fill_curve(out, group, statistic);
    }
    note_lengths(out);
    if (note_units(out)) {
        note_unequal_groups(out);
    }
    note_single_runs(out);
    fill_pairs(out);
    fill_profiles(out);
    out.differences = differences_of(out.groups);
    return out;
}

}  // namespace tenon
