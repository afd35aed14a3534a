// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error/listed.hpp"
#include "shared/compare/group_naming.hpp"
#include "shared/compare/number_in.hpp"
#include "shared/history/find_runs.hpp"
#include "shared/history/natural_order.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

void add_run(ComparedGroup& group, RunRecord record, const CompareRequest& request, const ScoreChoice& choice,
             const std::string& metric, std::vector<std::string>& notes) {
    const std::string folder = record.info.folder.string();
    if (!record.damage.empty()) {
        notes.push_back("only the records before the damage are used: " + record.damage);
    }
    const std::optional<ChosenScore> score = choose_score(record, choice);
    if (!score) {
        notes.push_back(folder + " is left out: it has no value of " + metric +
                        (choice.kind == ScoreChoice::Kind::kPosition ? " at or before " + request.at : " yet"));
        return;
    }
    if (record.state == RunState::kRunning || record.state == RunState::kDied) {
        notes.push_back(folder + (record.state == RunState::kRunning ? " is running" : " died") +
                        "; its score is that at " + std::to_string(static_cast<std::int64_t>(score->position)));
    }
    group.runs.push_back({.record = std::move(record), .task = 0, .score = *score});
}

ComparedGroup& group_named(std::vector<ComparedGroup>& groups, const std::string& name) {
    const auto found = std::ranges::find(groups, name, &ComparedGroup::name);
    if (found != groups.end()) {
        return *found;
    }
    groups.emplace_back().name = name;
    return groups.back();
}

std::optional<double> number_of(const ComparedGroup& group, const std::string& key) {
    const std::optional<double> value = number_in(plain_value(group.runs.front().record.info.values, key));
    return value && !std::isnan(*value) ? value : std::nullopt;
}

// Orders groups by the values of the key: numbers by their size, and before texts.
void sort_groups(std::vector<ComparedGroup>& groups, const std::string& key) {
    std::ranges::sort(groups, [&](const ComparedGroup& a, const ComparedGroup& b) {
        const std::optional<double> left = number_of(a, key);
        const std::optional<double> right = number_of(b, key);
        if (left && right) {
            return *left < *right;
        }
        return left.has_value() == right.has_value() ? natural_less(a.name, b.name) : left.has_value();
    });
}

Status check_group_key(const RunInfo& run, const std::string& key) {
    if (key.empty() || run.values.contains(key)) {
        return {};
    }
    std::vector<std::string_view> keys;
    for (const auto& [known, value] : run.values) {
        keys.push_back(known);
    }
    return input_problem("the manifest of " + run.folder.string() + " has no key '" + key + "'" +
                         did_you_mean(key, keys));
}

Status read_runs(const CompareRequest& request, const std::string& metric, std::vector<FoundRun>& out) {
    std::set<fs::path> seen;
    for (std::size_t i = 0; i < request.folders.size(); ++i) {
        const std::vector<fs::path> runs = TENON_TRY(find_runs(request.folders[i]));
        for (const fs::path& run : runs) {
            std::error_code code;
            if (!seen.insert(fs::canonical(run, code)).second) {
                return input_problem(run.string() + " is given twice");
            }
            RunRecord record = TENON_TRY(read_run_record(run, metric));
            TENON_TRY(check_group_key(record.info, request.group_by));
            out.push_back({.record = std::move(record), .folder = i, .given = run == request.folders[i]});
        }
    }
    return {};
}

}  // namespace

Result<std::string> choose_metric(const CompareRequest& request) {
    if (!request.metric.empty()) {
        return request.metric;
    }
    const std::vector<fs::path> runs = TENON_TRY(find_runs(request.folders));
    for (const fs::path& run : runs) {
        const Result<bool> evaluated = has_evaluations(run);
        if (!evaluated || !*evaluated) {
            return evaluated ? Result(std::string(metric_name(DefaultMetric::kRollouts)))
                             : Result<std::string>(evaluated.error());
        }
    }
    return std::string(metric_name(DefaultMetric::kEvaluations));
}

Result<std::vector<ComparedGroup>> group_runs(const CompareRequest& request, const std::string& metric,
                                              std::vector<std::string>& notes) {
    const ScoreChoice choice = TENON_TRY(score_choice(request.at));
    std::vector<FoundRun> runs;
    TENON_TRY(read_runs(request, metric, runs));
    std::set<std::string> names;  // of metrics
    for (const FoundRun& run : runs) {
        names.insert(run.record.names.begin(), run.record.names.end());
    }
    const bool known = names.contains(metric);
    if (!known) {
        return input_problem(
            "no run has the metric '" + metric + "'" + did_you_mean(metric, {names.begin(), names.end()}), {},
            names.empty() ? "" : "metrics of these runs: " + listed(names));
    }
    const std::vector<std::string> group_of = group_names(request, runs);
    std::vector<ComparedGroup> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        add_run(group_named(groups, group_of[i]), std::move(runs[i].record), request, choice, metric, notes);
    }
    std::erase_if(groups, [](const ComparedGroup& group) { return group.runs.empty(); });
    if (groups.empty()) {
        return input_problem("no run has a value of " + metric + " yet");
    }
    if (!request.group_by.empty()) {
        sort_groups(groups, request.group_by);
    }
    return groups;
}

void assign_tasks(std::vector<ComparedGroup>& groups, const std::string& key, std::vector<std::string>& tasks,
                  std::vector<std::string>& notes) {
    std::map<std::string, std::set<const ComparedGroup*>> groups_of;
    for (const ComparedGroup& group : groups) {
        for (const ComparedRun& run : group.runs) {
            groups_of[plain_value(run.record.info.values, key)].insert(&group);
        }
    }
    std::vector<std::string> partial;
    for (const auto& [task, with] : groups_of) {
        (with.size() == groups.size() ? tasks : partial).push_back(task);
    }
    if (tasks.empty()) {
        notes.push_back("the groups have different tasks (" + listed(partial) +
                        "), so their scores may mean different things");
        tasks = {"all"};
        return;
    }
    if (!partial.empty()) {
        notes.push_back("runs of tasks that not every group has are left out: " + listed(partial));
    }
    for (ComparedGroup& group : groups) {
        std::erase_if(group.runs, [&](const ComparedRun& run) {
            return std::ranges::find(tasks, plain_value(run.record.info.values, key)) == tasks.end();
        });
        for (ComparedRun& run : group.runs) {
            const auto found = std::ranges::find(tasks, plain_value(run.record.info.values, key));
            run.task = static_cast<std::size_t>(found - tasks.begin());
        }
    }
}

}  // namespace tenon
