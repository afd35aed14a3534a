// SPDX-License-Identifier: Apache-2.0
// A comparison as text for other programs.
#pragma once

#include <string>

#include "shared/compare/comparison.hpp"

namespace tenon {

// Everything, on one line.
std::string comparison_json(const Comparison& comparison);

// A line for each run, after a header.
std::string comparison_csv(const Comparison& comparison);

}  // namespace tenon
