// SPDX-License-Identifier: Apache-2.0
// The initial content of a buffer: the frames of the run or file that buffer.init names.
#pragma once

#include "train/wiring.hpp"

namespace tenon {

// Whether the manifest names any.
bool has_initial_frames(const Manifest& manifest);

// Reads them into a separate storage, from which the run's storage can take them.
Result<Storage> read_initial_frames(const Wiring& wiring);

}  // namespace tenon
