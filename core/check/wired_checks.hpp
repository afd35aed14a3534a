// SPDX-License-Identifier: Apache-2.0
// What graphs promise (tenon/abi/graph.h), in a run that a manifest wires: an objective needs networks, and these an
// env.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

// Of an objective, and of a policy or transform that is a graph.
std::span<const Check> objective_checks();
std::span<const Check> graph_checks();

// The first manifest among those that benchmarks use which names the component; empty where none does.
std::filesystem::path manifest_with(const std::string& component);

}  // namespace tenon
