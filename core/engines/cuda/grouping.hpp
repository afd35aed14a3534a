// SPDX-License-Identifier: Apache-2.0
// Orders works so that small ones follow each other and share a launch. A work may move before another one that it does
// not depend on, so results do not change. A large work thus overtakes the small ones that wait.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/cuda/accesses.hpp"

namespace tenon::compiled::device {

// What a work reads and writes, and whether it may share a launch.
struct Grouped {
    Accesses accesses;
    bool small = false;
};

// Puts small works off until a large one needs one of them, or until the end: a large work between two of them would
// cost another launch. Returns the works' places in the new order.
std::vector<std::size_t> group(std::span<const Grouped> works);

}  // namespace tenon::compiled::device
