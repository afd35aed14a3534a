// SPDX-License-Identifier: Apache-2.0
// The initial content of a buffer: the frames of the run or file that its init names.
#pragma once

#include "train/plan/wiring.hpp"

namespace tenon {

// Reads them into a separate storage. That of a buffer that collects can take them from there; another one has these.
Result<Storage> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer);

}  // namespace tenon
