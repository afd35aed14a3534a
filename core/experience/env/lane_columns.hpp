// SPDX-License-Identifier: Apache-2.0
// The memory of the columns of an env and its transforms. The outermost side is the storage itself. A column whose key,
// dtype and shape a transform leaves unchanged shares its memory; an action only if its whole spec is unchanged and the
// transform has no invert. Any other column, and any that is not stored, gets memory that is one slot deep: all slots
// share it, because nothing reads the past of an inner column.
#pragma once

#include <span>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/slab.hpp"
#include "base/data/spec.hpp"
#include "experience/env/copied_action.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/transform.h"

namespace tenon {

struct LaneColumns {
    std::vector<ColumnTable> sides;  // [0]: the env's own, [i]: after i transforms; with flags and final values
    std::vector<std::vector<CopiedAction>> actions;  // [transform] what is copied before its invert
    std::vector<Slab> memory;
};

// `sides` are the specs on each side of the transforms. A stored column with another dtype or shape is a problem that
// names both.
Result<LaneColumns> lay_out(std::span<const Composite> sides, std::span<const Callee<tn_transform_api>> transforms,
                            const Storage& storage);

}  // namespace tenon
