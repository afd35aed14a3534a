// SPDX-License-Identifier: Apache-2.0
// The output of a graph's `print` nodes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compute/graph/graph.hpp"

namespace tenon {

// Receives a line.
using PrintLine = void (*)(std::string_view line);

// `elements`: in the order of the value's type.
std::string print_line(const graph::Graph& graph, const graph::Named& print, std::span<const double> elements);

}  // namespace tenon
