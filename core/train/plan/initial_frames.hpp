// SPDX-License-Identifier: Apache-2.0
// The initial content of a buffer: the frames of the run or file that its init names.
#pragma once

#include "train/plan/wiring.hpp"

namespace tenon {

// Reads the initial frames of a buffer into a separate storage. A buffer that collects can copy them from it; any other
// buffer uses this storage as its own.
Result<Storage> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer);

}  // namespace tenon
