// SPDX-License-Identifier: Apache-2.0
// Reads the C structs of the graph surface. Their writer may be older or newer than this host, and may be wrong.
#pragma once

#include <string>

#include "compute/graph/graph.hpp"
#include "plugins/plugin/inside.hpp"
#include "tenon/abi/graph.h"

namespace tenon::graph::fields {

using tenon::inside;

// Whether the array can have so many elements: none, or at most kMostCount at an address that is not null.
bool is_readable(const void* array, std::uint64_t count);

// What is wrong with the struct itself, such as "it has 3 inputs, and their address is null"; empty if it can be read.
std::string defect(const tn_node& node);
std::string defect(const tn_attribute* attribute);

// Only for structs without a defect.
Attribute read(const tn_attribute& attribute);
std::string text(tn_str text);

// A text that ends in a zero, cut at the longest name of a source file.
std::string text(const char* text);

}  // namespace tenon::graph::fields
