// SPDX-License-Identifier: Apache-2.0
// The frames that a buffer begins with: what buffer.init names, a run's or a file's.
#pragma once

#include "train/wiring.hpp"

namespace tenon {

// Whether there are any to take.
bool has_initial_frames(const Manifest& manifest);

// Reads them, as a storage of their own that the wiring's can take.
Result<Storage> read_initial_frames(const Wiring& wiring);

}  // namespace tenon
