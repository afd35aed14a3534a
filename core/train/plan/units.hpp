// SPDX-License-Identifier: Apache-2.0
// Turns instances of the parts into units for the graphs' builder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "compute/graph/context.hpp"
#include "train/plan/live.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

class Lanes;
struct Running;
struct Wiring;

bool all_loaded(const Parts& parts);

// An instance as a unit, without the settings of its table in the manifest.
Result<graph::Unit> unit_of(const Part& part, const Instance& instance, std::string role, const LivePlan& live);

// Makes the instances of policies, exploration and objective: units of graphs, or the one procedure that acts.
void make_units(Wiring& wiring, Running& running, Problems& problems);

// Whether a transform is a graph that programs read through; otherwise it is a procedure of the lanes.
bool is_graph_transform(const Part& part);

// The columns that the option `column` or `columns` of a transform names.
std::vector<std::string> keys_of(const Part& part);

// Whether one of the part's options names the column.
bool names_column(const Part& part, const std::string& key);

// Whether a transform that is a procedure, counted from the env's side, may change the column. Without the options
// `column` and `columns` it may change every column, unless its interfaces say that it does not: the author may have
// written the name into the code.
bool may_change(const Part& part, const Lanes& lanes, std::size_t transform, const std::string& key);

// Whether acting can call the unit's sample and mode.
bool acts_with_action(const graph::Unit& unit);

}  // namespace tenon
