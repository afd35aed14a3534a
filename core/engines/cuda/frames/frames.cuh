// SPDX-License-Identifier: Apache-2.0
// Frames on a device: the results of a step are copied to rows of the ring, and rows of the ring to a minibatch.
#pragma once

#include <cstdint>

#include "engines/cuda/frames/works.hpp"
#include "tenon/emulated.hpp"

namespace tenon::frames {

__device__ inline std::int64_t first_of_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

__device__ inline void copy_row(std::byte* to, const std::byte* from, std::int64_t bytes) {
    if (bytes % 4 == 0) {
        for (std::int64_t i = 0; i < bytes / 4; ++i) {
            reinterpret_cast<std::uint32_t*>(to)[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
        }
    } else {
        for (std::int64_t i = 0; i < bytes; ++i) {
            to[i] = from[i];
        }
    }
}

__device__ inline bool is_finite(const std::byte* row, std::int64_t bytes, std::int32_t real_bytes) {
    for (std::int64_t i = 0; real_bytes > 0 && i < bytes / real_bytes; ++i) {
        const double x = real_bytes == 8 ? reinterpret_cast<const double*>(row)[i]
                                         : static_cast<double>(reinterpret_cast<const float*>(row)[i]);
        if (x - x != 0.0) {
            return false;
        }
    }
    return true;
}

__device__ inline void tell(tn_fault* fault, std::uint32_t status, std::uint32_t where) {
    if (atomicCAS(&fault->status, 0U, status) == 0U) {
        fault->where = where;
    }
}

__device__ inline std::int64_t row_of(const KeptColumn& column, const KeepWork& work) {
    return column.where == Where::kSlot   ? work.slot
           : column.where == Where::kNext ? work.next
           : column.where == Where::kStep ? work.step
                                          : 0;
}

}  // namespace tenon::frames

// One thread for each row of each column.
extern "C" __global__ void tenon_keep(tenon::frames::KeepWork work) {
    using namespace tenon::frames;
    for (std::int64_t i = first_of_thread(); i < std::int64_t{work.count} * work.lanes; i += all_threads()) {
        const KeptColumn& column = work.columns[i / work.lanes];
        const std::int64_t lane = i % work.lanes;
        const std::int64_t bytes = column.row_bytes;
        const std::byte* now = column.now + lane * bytes;
        copy_row(column.rows + (row_of(column, work) * work.lanes + lane) * bytes, now, bytes);
        bool finite = is_finite(now, bytes, column.real_bytes);
        if (column.final_now != nullptr && (work.terminated[lane] | work.truncated[lane]) != 0) {
            const std::byte* last = column.final_now + lane * bytes;
            copy_row(column.finals + (std::int64_t{work.slot} * work.lanes + lane) * bytes, last, bytes);
            finite = finite && is_finite(last, bytes, column.real_bytes);
        }
        if (!finite) {
            tell(work.fault, TN_INVALID_ARGUMENT, static_cast<std::uint32_t>(i));
        }
    }
}

extern "C" __global__ void tenon_move(tenon::frames::MoveWork work) {
    using namespace tenon::frames;
    for (std::int64_t i = first_of_thread(); i < std::int64_t{work.count} * work.lanes; i += all_threads()) {
        const KeptColumn& column = work.columns[i / work.lanes];
        const std::int64_t lane = i % work.lanes;
        copy_row(column.rows + (std::int64_t{work.to} * work.lanes + lane) * column.row_bytes,
                 column.rows + (std::int64_t{work.from} * work.lanes + lane) * column.row_bytes, column.row_bytes);
    }
}

// One thread for each row of each column.
extern "C" __global__ void tenon_take(tenon::frames::TakeWork work) {
    using namespace tenon::frames;
    for (std::int64_t i = first_of_thread(); i < std::int64_t{work.count} * work.rows; i += all_threads()) {
        const TakenColumn& column = work.columns[i / work.rows];
        const std::int64_t row = i % work.rows;
        const std::int64_t bytes = column.row_bytes;
        for (std::uint32_t k = 0; k < column.count; ++k) {
            std::byte* out = column.out + (row * column.count + k) * bytes;
            if (column.taken == Taken::kOwn) {
                copy_row(out, column.rows + row * bytes, bytes);
                continue;
            }
            const std::uint64_t index = (column.array + k) * work.stride + static_cast<std::uint64_t>(row);
            const std::uint32_t slot =
                work.slot != nullptr ? work.slot[index] : static_cast<std::uint32_t>(row / work.lanes);
            const std::uint32_t lane =
                work.slot != nullptr ? work.lane[index] : static_cast<std::uint32_t>(row % work.lanes);
            if (slot >= work.slots || lane >= work.lanes) {
                tell(work.fault, TN_INVALID_ARGUMENT, static_cast<std::uint32_t>(row));
                continue;
            }
            const std::int64_t at = std::int64_t{slot} * work.lanes + lane;
            const bool done = (work.terminated[at] | work.truncated[at]) != 0;
            const std::int64_t after = std::int64_t{slot + 1 == work.slots ? 0 : slot + 1} * work.lanes + lane;
            if (column.taken == Taken::kDone) {
                *out = static_cast<std::byte>(done ? 1 : 0);
            } else if (column.taken == Taken::kNext) {
                copy_row(out, done ? column.finals + at * bytes : column.rows + after * bytes, bytes);
            } else {
                copy_row(out, column.rows + at * bytes, bytes);
            }
        }
    }
}
