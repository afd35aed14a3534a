// SPDX-License-Identifier: Apache-2.0
// Compares groups of runs for `tenon compare`: their scores, how certain these are, in what the groups differ, and what
// they cost.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "shared/compare/aligned_curve.hpp"
#include "shared/compare/bootstrap.hpp"
#include "shared/compare/run_record.hpp"

namespace tenon {

// The scores that count as 0 and 1. Without a task: for all that have none of their own.
struct ScoreRange {
    std::string task = {};
    double low = 0;
    double high = 1;
};

struct CompareRequest {
    std::vector<std::filesystem::path> folders;
    std::string group_by = {};  // a key of the manifest; empty: each folder is a group
    std::string task_key = "env.plugin";
    std::string metric = {};  // empty: evaluations if all runs have them, otherwise training episodes
    std::string at = "last";
    std::string statistic = "iqm";  // of curves: "iqm", "mean", "median"
    std::vector<ScoreRange> ranges = {};
    std::optional<double> target = {};  // of the optimality gap; none: 1 if scores have ranges
};

struct ComparedRun {
    RunRecord record;
    std::size_t task = 0;
    ChosenScore score;
};

struct ComparedGroup {
    std::string name;
    std::vector<ComparedRun> runs;
    Scores scores;  // in their ranges
    Estimate iqm;
    Estimate median;
    Estimate mean;
    std::optional<Estimate> gap;
    AlignedCurve curve;
    std::vector<Estimate> profile;  // at Comparison::thresholds
    double seconds = 0;             // of all runs
    double frames = 0;              // of all runs; updates of runs that collect none
};

// How probable it is that a run of one group is better than one of another.
struct ComparedPair {
    std::size_t x = 0;
    std::size_t y = 0;
    Estimate probability;
};

struct ValueDifference {
    std::string key;
    std::vector<std::string> values;  // of each group; several values of one group: "1, 2"; none: empty
    bool everywhere = true;           // all runs have the key
};

struct Comparison {
    std::string metric;
    std::string at;
    std::string statistic;
    bool counts_updates = false;
    std::vector<std::string> tasks;
    std::vector<ScoreRange> ranges;  // of each task; none: scores are as recorded
    std::optional<double> target;
    std::vector<ComparedGroup> groups;
    std::vector<ComparedPair> pairs;
    std::vector<double> thresholds;
    std::vector<ValueDifference> differences;
    std::vector<std::string> notes;  // what was left out, or is worth knowing
};

// A folder without runs, a metric that no run has and options that mean nothing are problems; a run that is damaged or
// has no score yet is a note, and the others are compared.
Result<Comparison> compare_runs(const CompareRequest& request);

}  // namespace tenon
