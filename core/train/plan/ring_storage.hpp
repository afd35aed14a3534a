// SPDX-License-Identifier: Apache-2.0
// The storage of the collected frames, where the manifest wants it: in memory or on a disk, plain or compressed.
#pragma once

#include "base/error/result.hpp"
#include "experience/replay/disk_layout.hpp"
#include "experience/replay/storage.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Makes it, or opens the one that the run has already (Wiring::resumed), or whose frames it begins with
// (begins_in_place).
Result<Storage> make_storage(const Wiring& wiring);

// Whether the older frames of the buffer can be compressed, if the manifest wants that. Requires the stored columns.
void check_compressed(const Wiring& wiring, Problems& problems);

// Whether a buffer on a disk begins with the frames that it has.
bool begins_in_place(const BufferTable& buffer);

// What its files will hold, if it is on a disk. It keeps as many overwritten steps as a run collects between two
// checkpoints.
DiskLayout layout_on_disk(const Wiring& wiring);

}  // namespace tenon
