// SPDX-License-Identifier: Apache-2.0
// What a graph's `print` says of a value.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.hpp"

namespace tenon {

// Takes such a line.
using PrintLine = void (*)(std::string_view line);

// `elements`: in the order of its type.
std::string print_line(const graph::Graph& graph, const graph::Named& print, std::span<const double> elements);

}  // namespace tenon
