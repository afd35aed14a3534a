// SPDX-License-Identifier: Apache-2.0
// Whether the columns that a program writes fit: rows of the program, and the actions that the env takes.
#pragma once

#include <vector>

#include "base/error/problem.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/context.hpp"

namespace tenon {

// A column has one row per row of the program; it cannot hold ensemble members or other dimensions.
bool check_writes(const graph::Graph& graph, const std::vector<graph::Dim>& leading, const graph::Unit& unit,
                  const std::vector<graph::Unit>& networks, Problems& problems);

// Splits an action into the columns of an env that takes several; empty if it takes one.
std::vector<graph::Named> pieces_of(graph::Builder& builder, graph::ValueId action, const graph::Unit& unit,
                                    Problems& problems);

// What acting writes, by outputs or by the op write, must not collide with columns of the env or with each other.
void check_outputs(const graph::Graph& graph, const graph::Unit& policy, const std::vector<graph::Column>& columns,
                   Problems& problems);

// The program must write all action columns of the env. Exploration, `last`, replaces only the column `action`.
void check_actions(const graph::Graph& graph, const graph::Unit& policy, const graph::Unit& last,
                   const std::vector<graph::Unit>& networks, const std::vector<graph::Column>& columns,
                   Problems& problems);

}  // namespace tenon
