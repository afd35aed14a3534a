// SPDX-License-Identifier: Apache-2.0
// Batches of different lengths as one batch: padded at the end, with a mask.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/batch.hpp"

namespace tenon {

// Copies. Stacks batches that differ only in the first dimension, as [batch][longest...]: rows beyond a batch's own
// length are zeros, and the new column `mask`, bool [batch][longest], is 1 where there is a row.
Result<Batch> stack_padded(std::span<const Batch> batches, const std::string& mask = "mask");

// The reverse: views of the rows whose mask is 1, which must be the first ones of each batch, without the mask.
Result<std::vector<Batch>> unpadded(const Batch& padded, std::string_view mask = "mask");

}  // namespace tenon
