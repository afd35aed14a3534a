// SPDX-License-Identifier: Apache-2.0
// Counts what this program allocates, in any thread: malloc and its kin (operator new ends there). Under a sanitizer,
// which has its own malloc, operator new alone is counted.
#pragma once

#include <cstdint>

namespace tenon::test {

std::uint64_t allocations();

}  // namespace tenon::test
