// SPDX-License-Identifier: Apache-2.0
// How many frames the storage of a run holds.
#pragma once

#include <cstdint>

#include "train/plan/wiring.hpp"

namespace tenon {

// The number of slots of the storage that takes the collected frames. For a capacity in bytes, wiring.stored must be
// complete.
std::uint32_t storage_slots(const Wiring& wiring);

// The number of further slots, for steps that samplers do not choose: the sequences that they choose read rows of
// histories there.
std::uint32_t slots_held_back(const Wiring& wiring);

// The number of frames that the buffer that collects holds. If a keeper has rows of its own (BufferPlan::keeps), these
// count, and so do the steps of the longest episode that can be kept.
std::int64_t buffer_frames(const Wiring& wiring);
std::uint32_t kept_rows(const Wiring& wiring);
std::int64_t longest_kept(const Wiring& wiring);

// Checks that this many frames suffice for the buffer that collects.
void check_capacity(const Wiring& wiring, std::int64_t frames, Problems& problems);

// The maximal number of transitions of a lane in a batch that is learnt from as a whole.
std::uint32_t batch_steps(const Wiring& wiring);

}  // namespace tenon
