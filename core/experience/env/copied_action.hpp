// SPDX-License-Identifier: Apache-2.0
// An action whose key, dtype and shape are the same on both sides of a transform with invert. The env's row has its own
// memory, because updates learn from the policy's row. It begins as a copy of that row: nothing says which columns and
// elements invert writes, and the others must keep the policy's values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/data/spec.hpp"
#include "base/data/view.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {

struct CopiedAction {
    View outer;
    View inner;
    std::size_t row_bytes = 0;

    // Whether such an action is copied. outer null: the transform has removed it.
    static bool is_alike(const Spec& inner, const Spec* outer) {
        return outer != nullptr && inner.role == Role::kAction && inner.dtype == outer->dtype &&
               inner.shape == outer->shape;
    }
    static CopiedAction of(const Spec& spec, const View& outer, const View& inner) {
        return {outer, inner, static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype)};
    }
};

// Copies the actions of these lanes; call it before invert.
inline void copy_actions(std::span<const CopiedAction> actions, std::uint32_t slot, std::uint32_t first,
                         std::uint32_t count) {
    for (const CopiedAction& action : actions) {
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            std::memcpy(row_at(action.inner, slot, lane), row_at(action.outer, slot, lane), action.row_bytes);
        }
    }
}

}  // namespace tenon
