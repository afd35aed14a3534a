// SPDX-License-Identifier: Apache-2.0
// A batch as a person reads it: a line for each column with its type, its dimensions and what it holds.
#pragma once

#include <string>

#include "base/data/batch.hpp"

namespace tenon {

// The leading dimensions, then a table of key, dtype, row shape, least and largest element, and the number of NaNs if
// there are any. Reads every element.
//
//     batch [64, 8]
//     key               dtype    row  min      max
//     observation       float32  [4]  -0.0431  0.0492
//     next.terminated   bool     []   0        1
std::string to_string(const Batch& batch);

}  // namespace tenon
