// SPDX-License-Identifier: Apache-2.0
// The transforms of the rows that a buffer samples: [[buffer.transforms]].
#pragma once

#include <cstdint>
#include <vector>

#include "experience/env/row_transform.hpp"
#include "train/plan/buffer_plan.hpp"

namespace tenon {

struct Wiring;

// The transforms for this buffer's rows of a minibatch.
Result<std::vector<RowTransform>> make_row_transforms(const Wiring& w, const BufferPlan& buffer, std::uint32_t rows);

// Reports every transform that cannot work on rows of its buffer. Call it after the env is wired.
void check_row_transforms(const Wiring& w, Problems& problems);

}  // namespace tenon
