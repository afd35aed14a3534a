// SPDX-License-Identifier: Apache-2.0
// A batch in one block of memory, which is copied, sent or written as a whole.
#pragma once

#include <memory>

#include "base/data/batch.hpp"
#include "base/data/slab.hpp"

namespace tenon {

struct Consolidated {
    Batch batch;                         // dense columns in `memory`, in their order, each aligned to 64 bytes
    std::shared_ptr<const Slab> memory;  // also kept by every column
};

// Copies the batch into one block.
Result<Consolidated> consolidate(const Batch& batch);

}  // namespace tenon
