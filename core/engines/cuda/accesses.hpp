// SPDX-License-Identifier: Apache-2.0
// The memory that a work of a run reads and writes. Works are ordered by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/cuda/tables.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// Addresses from `begin` to before `end`.
struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

struct Accesses {
    std::vector<Range> reads;
    std::vector<Range> writes;
    // written, but always with the same value, so works that only do this need not wait for each other
    std::vector<Range> marks;
    bool known = true;  // false: it may read and write anything
};

Accesses accesses_of(const RunStep& step, std::span<const TableCopy> tables);

// Whether `later` must wait for `earlier`.
bool must_wait(const Accesses& later, const Accesses& earlier);

}  // namespace tenon::compiled::device
