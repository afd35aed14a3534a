// SPDX-License-Identifier: Apache-2.0
#include "run/compare/grouping.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error/listed.hpp"
#include "run/history/find_runs.hpp"
#include "run/history/natural_order.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// The shortest end of each path that tells it from the others: "dqn" and "ppo", or "a/dqn" and "b/dqn".
std::vector<std::string> short_names(const std::vector<fs::path>& folders) {
    std::vector<std::vector<std::string>> parts;
    std::size_t longest = 1;
    for (const fs::path& folder : folders) {
        std::error_code code;
        const fs::path whole = fs::absolute(folder, code).lexically_normal();
        std::vector<std::string>& names = parts.emplace_back();
        for (const fs::path& part : whole) {
            if (!part.empty() && part != "/") {
                names.push_back(part.string());
            }
        }
        longest = std::max(longest, names.size());
    }
    std::vector<std::string> out;
    for (std::size_t length = 1; length <= longest; ++length) {
        out.clear();
        for (const std::vector<std::string>& names : parts) {
            std::string name;
            for (std::size_t i = names.size() - std::min(length, names.size()); i < names.size(); ++i) {
                name += (name.empty() ? "" : "/") + names[i];
            }
            out.push_back(name.empty() ? "/" : name);
        }
        if (std::set<std::string>(out.begin(), out.end()).size() == out.size()) {
            break;
        }
    }
    return out;
}

bool has_metric(const RunRecord& record, const std::string& metric) {
    return std::ranges::find(record.names, metric) != record.names.end();
}

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

Status check_group_key(const RunRecord& record, const CompareRequest& request, std::vector<std::string>& keys) {
    if (request.group_by.empty() || record.info.values.contains(request.group_by)) {
        return {};
    }
    for (const auto& [key, value] : record.info.values) {
        keys.push_back(key);
    }
    return input_problem("the manifest of " + record.info.folder.string() + " has no key '" + request.group_by + "'" +
                         did_you_mean(request.group_by, {keys.begin(), keys.end()}));
}

}  // namespace

Result<std::string> choose_metric(const CompareRequest& request) {
    if (!request.metric.empty()) {
        return request.metric;
    }
    const Result<std::vector<fs::path>> runs = find_runs(request.folders);
    if (!runs) {
        return runs.error();
    }
    for (const fs::path& run : *runs) {
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
    const Result<ScoreChoice> choice = score_choice(request.at);
    if (!choice) {
        return choice.error();
    }
    std::vector<ComparedGroup> groups;
    std::set<std::string> names;  // of metrics
    std::vector<std::string> keys;
    bool known = false;
    const std::vector<std::string> folder_names = short_names(request.folders);
    std::set<fs::path> seen;
    for (std::size_t i = 0; i < request.folders.size(); ++i) {
        const Result<std::vector<fs::path>> runs = find_runs(request.folders[i]);
        if (!runs) {
            return runs.error();
        }
        for (const fs::path& run : *runs) {
            std::error_code code;
            if (!seen.insert(fs::canonical(run, code)).second) {
                return input_problem(run.string() + " is given twice");
            }
            Result<RunRecord> record = read_run_record(run, metric);
            if (!record) {
                return record.error();
            }
            if (Status has_key = check_group_key(*record, request, keys); !has_key) {
                return has_key.error();
            }
            names.insert(record->names.begin(), record->names.end());
            known = known || has_metric(*record, metric);
            const std::string name =
                request.group_by.empty() ? folder_names[i] : plain_value(record->info.values, request.group_by);
            add_run(group_named(groups, name), std::move(*record), request, *choice, metric, notes);
        }
    }
    if (!known) {
        return input_problem(
            "no run has the metric '" + metric + "'" + did_you_mean(metric, {names.begin(), names.end()}), {},
            names.empty() ? "" : "metrics of these runs: " + listed(names));
    }
    std::erase_if(groups, [](const ComparedGroup& group) { return group.runs.empty(); });
    if (groups.empty()) {
        return input_problem("no run has a value of " + metric + " yet");
    }
    if (!request.group_by.empty()) {
        std::ranges::sort(groups, [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
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
