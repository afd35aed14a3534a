// SPDX-License-Identifier: Apache-2.0
#include "experience/env/frozen_rows.hpp"

#include <cstring>

namespace tenon {

void FrozenRows::bind(const Composite& specs, const Storage& storage) {
    repeated_.clear();
    cleared_ = {storage.find("terminated"), storage.find("truncated")};
    for (const Spec& spec : specs.specs) {
        const StorageColumn* const stored = storage.find(spec.key);
        if (stored == nullptr) {
            continue;
        }
        if (spec.role == Role::kObservation || spec.role == Role::kExtra) {
            repeated_.push_back(stored);
        } else if (is_outcome(spec.role)) {
            cleared_.push_back(stored);
        }
    }
}

void FrozenRows::zero(std::uint32_t lane, std::uint32_t slot) const {
    for (const StorageColumn* const column : repeated_) {
        std::memset(row_at(column->view, slot, lane), 0, row_bytes(*column));
    }
}

void FrozenRows::repeat(std::uint32_t lane, std::uint32_t slot, std::uint32_t next) const {
    for (const StorageColumn* const column : repeated_) {
        std::memcpy(row_at(column->view, next, lane), row_at(column->view, slot, lane), row_bytes(*column));
    }
    for (const StorageColumn* const column : cleared_) {
        std::memset(row_at(column->view, slot, lane), 0, row_bytes(*column));
    }
}

}  // namespace tenon
