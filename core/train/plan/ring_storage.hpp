// SPDX-License-Identifier: Apache-2.0
// The storage of the collected frames, and their writer, as the manifest wants it.
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "experience/replay/keeper.hpp"
#include "experience/replay/storage.hpp"
#include "experience/replay/storage_kind.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// The kind of storage that the buffer that collects names; "memory" without such a buffer.
const StorageKind& storage_kind(const Wiring& wiring);

// What is asked of it. Requires the stored columns.
StorageRequest storage_request(const Wiring& wiring);

// Makes the storage, or opens one in a folder: that of a resumed run (Wiring::resumed), or the one whose frames the run
// begins with (begins_in_place).
Result<Storage> make_storage(const Wiring& wiring);

// Checks that the frames can be stored in this way. Requires the stored columns.
void check_storage(const Wiring& wiring, Problems& problems);

// Whether a buffer with a folder begins with the frames in it.
bool begins_in_place(const BufferTable& buffer);

// Checks that the column by which the writer ranks episodes can rank them. Requires the stored columns.
void check_ranking(const Wiring& wiring, Problems& problems);

// The writer of the buffer that collects, for the frames of this ring (experience/replay/keeper.hpp); none if the
// buffer is the ring.
Result<std::optional<Keeper>> make_keeper(const Wiring& wiring, const Storage& ring);

}  // namespace tenon
