// SPDX-License-Identifier: Apache-2.0
// Objectives with loops of tokens: a cache into which rows are put, ints and flags that are carried, and an end for
// each row; and the same steps written one after the other.
#pragma once

#include <cstdint>

#include "authors.hpp"

namespace tenon::test {

inline constexpr std::int64_t kTokens = 6;  // the longest answer
inline constexpr double kPad = -3;          // of the steps of rows that are done

Author token_author(const char* name);

}  // namespace tenon::test
