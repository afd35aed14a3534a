// SPDX-License-Identifier: Apache-2.0
// The steps of a loop for a kernel. Every value is loaded before its first use, and later values reuse its slot after
// the last one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/compiled/tape.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

struct LoopSteps {
    std::vector<LoopStep> steps;
    std::vector<const View*> places;  // of loads and stores
};

// Nothing if more values are alive at the same time than a kernel has slots.
std::optional<LoopSteps> steps_of(const Loop& loop, const Listing& listing);
// Whether a kernel has enough slots for all loops of a tape.
bool has_room(const Tape& tape);

}  // namespace tenon::compiled::device
