// SPDX-License-Identifier: Apache-2.0
// How long each instruction of a tape takes, and how long it would if it did nothing but compute.
#pragma once

#include <vector>

#include "compiled/tape.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// Of a tape that has run once for this call, and of one without stages or with gradients alone: nothing steps between
// its phases.
std::vector<Spent> profile(const Tape& tape, const Call& call);

}  // namespace tenon::compiled
