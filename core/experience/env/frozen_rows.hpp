// SPDX-License-Identifier: Apache-2.0
// The rows of a lane that no longer steps: each repeats the last observation, with rewards and flags of zero.
#pragma once

#include <cstdint>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class FrozenRows {
public:
    // The storage's columns must stay where they are until the next bind.
    void bind(const Composite& specs, const Storage& storage);
    // Writes zeros for a lane that has never stepped, because it has no earlier row.
    void zero(std::uint32_t lane, std::uint32_t slot) const;
    // Writes what a step from `slot` to `next` would have written.
    void repeat(std::uint32_t lane, std::uint32_t slot, std::uint32_t next) const;

private:
    std::vector<const StorageColumn*> repeated_;
    std::vector<const StorageColumn*> cleared_;
};

}  // namespace tenon
