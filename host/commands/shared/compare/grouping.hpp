// SPDX-License-Identifier: Apache-2.0
// Chooses the runs to compare, their groups and the metric.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "shared/compare/comparison.hpp"

namespace tenon {

// Groups with their names and runs, each with its score. Adds a note for each run that is left out or incomplete.
Result<std::vector<ComparedGroup>> group_runs(const CompareRequest& request, const std::string& metric,
                                              std::vector<std::string>& notes);

// The metric that the request means.
Result<std::string> choose_metric(const CompareRequest& request);

// Names the tasks and gives each run its task. Runs of tasks that not all groups have are removed with a note; if the
// groups have no task in common, all runs belong to a single one.
void assign_tasks(std::vector<ComparedGroup>& groups, const std::string& key, std::vector<std::string>& tasks,
                  std::vector<std::string>& notes);

// The keys in which the groups differ, except keys that differ between the seeds of every group.
std::vector<ValueDifference> differences_of(const std::vector<ComparedGroup>& groups);

// A note for a group whose runs of one task differ in more than their seeds.
void note_mixed_groups(const std::vector<ComparedGroup>& groups, std::size_t tasks, std::vector<std::string>& notes);

// A note for a group that has several runs of one seed and one manifest, each of which counts.
void note_repeated_seeds(const std::vector<ComparedGroup>& groups, std::vector<std::string>& notes);

}  // namespace tenon
