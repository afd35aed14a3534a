// SPDX-License-Identifier: Apache-2.0
// The kernel. nvcc compiles this file for GPUs; kernels.cpp includes it to compile it for the CPU.
#include <tenon/device_random.hpp>

#include "choice.hpp"

extern "C" __global__ void draw(const tn_sample_numbers* numbers, const std::uint32_t* first,
                                const std::uint32_t* count, std::uint32_t slots, std::uint32_t lanes,
                                std::uint32_t rows, double share, std::uint32_t* slot, std::uint32_t* lane) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    tenon::DeviceRandom random = tenon::batch_random(*numbers).branch(row);
    std::uint64_t number = random.below(numbers->total);
    std::uint32_t from = 0;  // the lane of that transition
    for (; from + 1 < lanes && number >= count[from]; ++from) {
        number -= count[from];
    }
    const std::uint32_t at = first[from] + choose(random, count[from], share);
    slot[row] = at < slots ? at : at - slots;
    lane[row] = from;
}
