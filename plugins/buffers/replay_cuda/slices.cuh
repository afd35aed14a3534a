// SPDX-License-Identifier: Apache-2.0
// Sequences of one episode, as replay's slices.hpp draws them: every row has a generator of its own, so that one thread
// draws one row.
#pragma once

#include "numbers.cuh"
#include "ring.cuh"
#include "uniform.cuh"

enum class Reach : std::uint32_t { kNone, kLeft, kRight, kBoth };

struct Slicing {
    std::uint32_t length;
    std::uint32_t least;
    std::uint32_t strict;
    Reach reach;
};

// Columns of the plan, each null if it has none.
struct SliceFlags {
    std::uint8_t* mask;
    std::uint8_t* truncated;
    std::uint8_t* done;
};

struct Slice {
    std::uint32_t slot;  // of its first step
    std::uint32_t lane;
    std::uint32_t steps;  // 0: there is none
};

__device__ inline std::uint32_t next_slot(const Ring& ring, std::uint32_t slot) {
    return slot + 1 < ring.slots ? slot + 1 : 0;
}

// Whether the buffer holds the step before of the same episode.
__device__ inline bool came_from(const Ring& ring, std::uint32_t slot, std::uint32_t lane) {
    const std::uint64_t before = static_cast<std::uint64_t>(slot > 0 ? slot - 1 : ring.slots - 1) * ring.lanes + lane;
    return slot != ring.first[lane] && (ring.terminated[before] | ring.truncated[before]) == 0;
}

// The sequence that a transition stands for: its first step, its last one, or the one after `before` others.
__device__ inline Slice slice_of(const Ring& ring, const Slicing& shape, std::uint32_t slot, std::uint32_t lane,
                                 std::uint32_t before) {
    std::uint32_t left = shape.reach == Reach::kLeft ? shape.length - 1 : before;  // steps to go back
    Slice out{slot, lane, 1};
    while (left > 0 && came_from(ring, out.slot, lane)) {
        out.slot = out.slot > 0 ? out.slot - 1 : ring.slots - 1;
        --left;
    }
    const std::uint32_t room = shape.length - left;
    if (shape.reach == Reach::kLeft) {
        out.steps = room;
    } else {
        for (std::uint32_t at = out.slot; out.steps < room && goes_on(ring, at, lane); ++out.steps) {
            at = next_slot(ring, at);
        }
    }
    const bool whole = out.steps == shape.length;
    const bool fits = shape.reach != Reach::kNone ? out.steps >= shape.least
                      : shape.strict != 0         ? whole
                                                  : whole || (out.steps >= shape.least && !came_from(ring, slot, lane));
    out.steps = fits ? out.steps : 0;
    return out;
}

// Rejection sampling, which is uniform over all valid draws; if there are hardly any, takes the next valid one.
__device__ inline Slice draw_slice(const Ring& ring, const std::uint64_t* ends, const tn_sample_numbers& numbers,
                                   const Slicing& shape, std::uint32_t row) {
    constexpr int kTries = 1000;
    tenon::DeviceRandom random = tenon::batch_random(numbers).branch(row);
    Slice out{0, 0, 0};
    std::uint64_t number = 0;
    std::uint32_t slot = 0;
    std::uint32_t lane = 0;
    for (int tries = 0; tries < kTries && out.steps == 0; ++tries) {
        number = random.below(numbers.total);
        place_of(ring, ends, number, slot, lane);
        const auto before = static_cast<std::uint32_t>(shape.reach == Reach::kBoth ? random.below(shape.length) : 0);
        out = slice_of(ring, shape, slot, lane, before);
    }
    for (std::uint64_t i = 0; i < numbers.total && out.steps == 0; ++i) {
        place_of(ring, ends, (number + i) % numbers.total, slot, lane);
        out = slice_of(ring, shape, slot, lane, 0);
    }
    return out;
}

extern "C" __global__ void replay_draw_slices(Ring ring, const std::uint64_t* ends, const tn_sample_numbers* numbers,
                                              Rows rows, Slicing shape, SliceFlags flags, tn_fault* fault) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows.count) {
        return;
    }
    const Slice slice = draw_slice(ring, ends, *numbers, shape, row);
    if (slice.steps == 0) {
        if (atomicCAS(&fault->status, 0, TN_FAILED_PRECONDITION) == 0) {
            fault->where = row;
        }
        return;
    }
    std::uint32_t slot = slice.slot;
    for (std::uint32_t step = 0; step < shape.length; ++step) {
        const std::uint64_t place = static_cast<std::uint64_t>(step) * rows.count + row;
        rows.slot[place] = slot;
        rows.lane[place] = slice.lane;
        slot = step + 1 < slice.steps ? next_slot(ring, slot) : slot;
    }
    const std::uint8_t terminated = ring.terminated[static_cast<std::uint64_t>(slot) * ring.lanes + slice.lane];
    for (std::uint32_t step = 0; step < shape.length; ++step) {
        const std::uint64_t place = static_cast<std::uint64_t>(step) * rows.count + row;
        const bool last = step + 1 >= slice.steps;
        if (flags.mask != nullptr) {
            flags.mask[place] = step < slice.steps ? 1 : 0;
        }
        if (flags.done != nullptr) {
            flags.done[place] = last ? 1 : 0;
            flags.truncated[place] = last && terminated == 0 ? 1 : 0;
        }
    }
}
