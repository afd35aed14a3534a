// SPDX-License-Identifier: Apache-2.0
// Converts between batches and dense columns in the order of ports, which programs of the host read and write.
#pragma once

#include <span>
#include <vector>

#include "base/data/batch.hpp"
#include "base/data/port.hpp"

namespace tenon {

// A batch of borrowed memory: the column of each port, which has a dense row for every index of `leading`.
Batch batch_of(std::span<const Port> ports, std::span<void* const> columns, const Shape& leading);

// The memory of each port's column. The batch may have other columns, too. `reader` names the reader in messages ("the
// objective").
Result<std::vector<const void*>> columns_of(const Batch& batch, std::span<const Port> ports, std::string_view reader);

}  // namespace tenon
