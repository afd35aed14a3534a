// SPDX-License-Identifier: Apache-2.0
// Every complete transition is equally likely.
#pragma once

#include "numbers.cuh"
#include "ring.cuh"

constexpr std::uint32_t kThreads = 256;

// ends[lane]: the transitions of the lanes up to it. One block.
extern "C" __global__ void replay_add_up(Ring ring, std::uint64_t* ends) {
    __shared__ std::uint64_t part[kThreads];
    const std::uint32_t each = (ring.lanes + blockDim.x - 1) / blockDim.x;
    const std::uint32_t begin = threadIdx.x * each < ring.lanes ? threadIdx.x * each : ring.lanes;
    const std::uint32_t end = begin + each < ring.lanes ? begin + each : ring.lanes;
    std::uint64_t sum = 0;
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        sum += ring.count[lane];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (std::uint32_t thread = 0; thread < threadIdx.x; ++thread) {
        sum += part[thread];
    }
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        sum += ring.count[lane];
        ends[lane] = sum;
    }
}

// The transition with that number, lane by lane, the oldest first.
__device__ inline void place_of(const Ring& ring, const std::uint64_t* ends, std::uint64_t number, std::uint32_t& slot,
                                std::uint32_t& lane) {
    std::uint32_t low = 0;  // the first lane that ends after the number
    std::uint32_t high = ring.lanes - 1;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (ends[middle] > number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const std::uint64_t before = low == 0 ? 0 : ends[low - 1];
    lane = low;
    slot = slot_at(ring, low, static_cast<std::uint32_t>(number - before));
}

extern "C" __global__ void replay_draw_uniform(Ring ring, const std::uint64_t* ends, const tn_sample_numbers* numbers,
                                               Rows rows, std::uint32_t stratified) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows.count) {
        return;
    }
    const Bits bits = philox(batch_key(*numbers), row);
    std::uint64_t number = 0;
    if (stratified != 0) {
        const double share = (row + as_uniform(bits.word[0], bits.word[1])) / rows.count;
        number = static_cast<std::uint64_t>(share * static_cast<double>(numbers->total));
        number = number < numbers->total - 1 ? number : numbers->total - 1;
    } else {
        number = __umul64hi(joined(bits.word[0], bits.word[1]), numbers->total);
    }
    std::uint32_t slot = 0;
    std::uint32_t lane = 0;
    place_of(ring, ends, number, slot, lane);
    set_row(ring, rows, row, slot, lane);
}
