// SPDX-License-Identifier: Apache-2.0
// What a component says of its own options is shown where the manifest gives them.
#pragma once

#include <cstddef>

#include "error/problem.hpp"
#include "train/parts.hpp"

namespace tenon {

// Of the problems from `first` on that stand at a component's name: one whose sentence has options of it in quotes, or
// such as no other word looks like ("v_min"), moves to those that the manifest gives.
void point_at_options(const Parts& parts, std::size_t first, Problems& problems);

}  // namespace tenon
