// SPDX-License-Identifier: Apache-2.0
// The storage of the collected frames, and their writer, as the manifest wants it: in memory or on a disk, plain or
// compressed.
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "experience/replay/disk_layout.hpp"
#include "experience/replay/keeper.hpp"
#include "experience/replay/storage.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Makes the storage, or opens one on a disk: that of a resumed run (Wiring::resumed), or the one whose frames the run
// begins with (begins_in_place).
Result<Storage> make_storage(const Wiring& wiring);

// Checks that the older frames of the buffer can be compressed, if the manifest wants that. Requires the stored
// columns.
void check_compressed(const Wiring& wiring, Problems& problems);

// Whether a buffer on a disk begins with the frames in its folder.
bool begins_in_place(const BufferTable& buffer);

// The layout of the files of a buffer on a disk. It keeps as many overwritten steps as a run collects between two
// checkpoints.
DiskLayout layout_on_disk(const Wiring& wiring);

// Checks that the column by which the writer ranks episodes can rank them. Requires the stored columns.
void check_ranking(const Wiring& wiring, Problems& problems);

// The writer of the buffer that collects, for the frames of this ring (experience/replay/keeper.hpp); none if the
// buffer is the ring.
Result<std::optional<Keeper>> make_keeper(const Wiring& wiring, const Storage& ring);

}  // namespace tenon
