// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels that keep and gather frames: plain data, the same for the host and for nvcc. All
// addresses are of the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/abi/device.h"

namespace tenon::frames {

// To which row of a column a step's values of all lanes are copied: that of the slot in which the step began, of the
// next slot, of the step's number since the host's last look, or always the same row.
enum class Where : std::int32_t { kSlot, kNext, kStep, kOnce };

struct KeptColumn {
    const std::byte* now;        // of all lanes, after the step
    const std::byte* final_now;  // the last values of an ended episode; null: the column has none
    std::byte* rows;             // [slots][lanes]
    std::byte* finals;           // [slots][lanes]
    std::int64_t row_bytes;
    Where where;
    std::int32_t real_bytes;  // the size of a float, which is checked to be finite; 0: another type
};

struct KeepWork {
    const KeptColumn* columns;
    std::uint32_t count;
    std::uint32_t lanes;
    std::uint32_t slot;
    std::uint32_t next;
    std::uint32_t step;
    const std::uint8_t* terminated;  // [lanes]
    const std::uint8_t* truncated;
    tn_fault* fault;  // where: the number of the column, times lanes, plus the lane
};

// Copies the rows of one slot to another.
struct MoveWork {
    const KeptColumn* columns;
    std::uint32_t count;
    std::uint32_t lanes;
    std::uint32_t from;
    std::uint32_t to;
};

enum class Taken : std::int32_t { kAtSlot, kNext, kDone, kOwn };

struct TakenColumn {
    const std::byte* rows;  // [slots][lanes]; kOwn: a column of the sampler, [rows]
    const std::byte* finals;
    std::byte* out;
    std::int64_t row_bytes;  // of one step
    std::uint32_t array;     // the first index array
    std::uint32_t count;     // of arrays
    Taken taken;
};

struct TakeWork {
    const TakenColumn* columns;
    std::uint32_t count;
    std::uint32_t rows;
    std::uint32_t slots;
    std::uint32_t lanes;
    const std::uint32_t* slot;  // [array][stride]; null: rows are all lanes of slot 0, of slot 1, ...
    const std::uint32_t* lane;
    std::uint64_t stride;
    const std::uint8_t* terminated;  // [slots][lanes]
    const std::uint8_t* truncated;
    tn_fault* fault;  // where: the row
};

}  // namespace tenon::frames
