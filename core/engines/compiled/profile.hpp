// SPDX-License-Identifier: Apache-2.0
// How long each instruction of a tape takes, and how long its pure computation takes; of a scan also each instruction
// of its body.
#pragma once

#include <vector>

#include "compute/exec/program.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Requires a tape that has run once for this call, without stages or with gradients only: no optimiser steps between
// its phases.
std::vector<Spent> profile(const Tape& tape, const Call& call);

}  // namespace tenon::compiled
