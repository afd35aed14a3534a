// SPDX-License-Identifier: Apache-2.0
// The order of works in which small ones follow each other, so that they share a launch. A work may go before another
// one that it does not depend on, and results do not change. So a large work overtakes the small ones that wait.
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

// Small works are put off until a large one needs one of them, or until the end: a large one between two of them would
// cost another launch. The places of the works in the new order.
std::vector<std::size_t> group(std::span<const Grouped> works);

}  // namespace tenon::compiled::device
