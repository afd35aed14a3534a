// SPDX-License-Identifier: Apache-2.0
// Where the columns of an env and its transforms lie. The outermost side is the storage itself; a column that a
// transform leaves in key, dtype and shape shares its memory, an action only where nothing of its spec changes; any
// other, and any that is not stored, gets memory one slot deep: all slots are the same place, since nobody looks at an
// inner column's past.
#pragma once

#include <span>
#include <vector>

#include "data/column_table.hpp"
#include "data/slab.hpp"
#include "data/spec.hpp"
#include "replay/storage.hpp"

namespace tenon {

struct LaneColumns {
    std::vector<ColumnTable> sides;  // [0]: the env's own, [i]: after i transforms; with flags and final values
    std::vector<Slab> memory;
};

// `sides` are the specs on each side of the transforms. A stored column of another dtype or shape is a problem that
// names both.
Result<LaneColumns> lay_out(std::span<const Composite> sides, const Storage& storage);

}  // namespace tenon
