// SPDX-License-Identifier: Apache-2.0
// How many frames the storage of a run holds.
#pragma once

#include <cstdint>

#include "train/plan/wiring.hpp"

namespace tenon {

// The number of slots of the storage that takes the collected frames. For a capacity in bytes, wiring.stored must be
// complete.
std::uint32_t storage_slots(const Wiring& wiring);

// Whether the buffer that collects can do with this many frames.
void check_capacity(const Wiring& wiring, std::int64_t frames, Problems& problems);

// The maximal number of transitions of a lane in a batch that is learnt from as a whole.
std::uint32_t batch_steps(const Wiring& wiring);

}  // namespace tenon
