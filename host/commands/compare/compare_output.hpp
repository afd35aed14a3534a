// SPDX-License-Identifier: Apache-2.0
// Prints a comparison of runs as tables for people.
#pragma once

#include "shared/compare/comparison.hpp"

namespace tenon::host {

// The comparison as columns for a terminal, or as Markdown.
void print_comparison(const Comparison& comparison, bool markdown);

}  // namespace tenon::host
