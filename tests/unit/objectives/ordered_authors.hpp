// SPDX-License-Identifier: Apache-2.0
// Objectives that put values in order.
#pragma once

#include "authors.hpp"

namespace tenon::test {

//     Truncated     the loss of truncated quantile critics, for categorical actions (excerpts of it are on
//                   docs/write-a-plugin/objective.md)
//     WeighsOrder   learns from "net"'s features by their rank: all in order, the largest three, the columns of a
//     matrix
//
// Null: there is none of that name.
Author ordered_author(const char* name);

}  // namespace tenon::test
