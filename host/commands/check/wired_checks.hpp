// SPDX-License-Identifier: Apache-2.0
// The contract of graphs (tenon/abi/graph.h), in a run that a manifest wires: an objective needs networks, and these
// need an env.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

// For an objective, and for a policy or transform that is a graph.
std::span<const Check> objective_checks();
std::span<const Check> graph_checks();

// The first benchmark manifest that names the component; empty if there is none.
std::filesystem::path manifest_with(const std::string& component);

}  // namespace tenon
