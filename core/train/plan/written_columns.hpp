// SPDX-License-Identifier: Apache-2.0
// Checks the columns that a program writes: they must have the program's rows, and actions must suit the env.
#pragma once

#include <span>
#include <vector>

#include "base/error/problem.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/context.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

// The spec of a column that a program has computed.
Spec computed_spec(const Port& port, Role role);

// A column has one row per row of the program; it cannot hold ensemble members or other dimensions.
// `writes`: those of the program that the unit has made.
bool check_writes(const graph::Graph& graph, std::span<const graph::Named> writes,
                  const std::vector<graph::Dim>& leading, const graph::Unit& unit,
                  const std::vector<graph::Unit>& networks, Problems& problems);

// Splits an action into the columns of an env that takes several; empty if it takes one.
std::vector<graph::Named> pieces_of(graph::Builder& builder, graph::ValueId action, const graph::Unit& unit,
                                    Problems& problems);

// Checks that columns that acting writes, by outputs or by the op write, do not collide with columns of the env or with
// each other.
void check_outputs(const graph::Graph& graph, const std::vector<ActingUnit>& acting,
                   const std::vector<graph::Column>& columns, Problems& problems);

// Checks that the program writes all action columns of the env. An exploration, if the program explores, replaces only
// the column `action`.
void check_actions(const graph::Graph& graph, const std::vector<ActingUnit>& acting, bool explores,
                   const std::vector<graph::Unit>& networks, const std::vector<graph::Column>& columns,
                   Problems& problems);

}  // namespace tenon
