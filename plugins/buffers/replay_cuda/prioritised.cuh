// SPDX-License-Identifier: Apache-2.0
// Kernels of prioritised replay. Those that change the tree have one block: they climb it level by level, with a
// barrier after each.
#pragma once

#include "numbers.cuh"
#include "ring.cuh"
#include "tree.cuh"
#include "uniform.cuh"

// What updates have taught, on the device.
struct Learned {
    std::uint64_t seen;  // steps of the buffer that the tree contains
    double largest;      // of the priorities that updates gave
    std::uint32_t updated;
    std::uint32_t reserved;
};

struct Shape {
    double alpha;
    double eps;
    std::uint32_t square;
    std::uint32_t within = 0;  // new transitions have the largest weight in the buffer
};

__device__ inline float weight_of(double priority, double eps, double alpha) {
    const float weight = raised(static_cast<float>(priority + eps), static_cast<float>(alpha));
    return weight < 1e-30F ? 1e-30F : 1e28F < weight ? 1e28F : weight;
}

// The largest of all leaves, for every thread of the block; most has a place for each of them.
__device__ inline float largest_leaf(const Tree& tree, float* most) {
    float own = 0;
    for (std::uint32_t item = threadIdx.x; item < tree.items; item += blockDim.x) {
        own = tree.leaves[item] > own ? tree.leaves[item] : own;
    }
    most[threadIdx.x] = own;
    __syncthreads();
    for (std::uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && most[threadIdx.x + half] > most[threadIdx.x]) {
            most[threadIdx.x] = most[threadIdx.x + half];
        }
        __syncthreads();
    }
    return most[0];
}

// Puts what has been collected since the last batch, with the weight of new transitions, and forgets what was lost.
extern "C" __global__ void replay_follow(Tree tree, Ring ring, const tn_sample_numbers* numbers, Learned* learned,
                                         std::uint8_t* held, Shape shape) {
    __shared__ std::uint32_t all;
    __shared__ float most[kThreads];
    const std::uint64_t fresh = numbers->appended - learned->seen;
    if (fresh == 0) {
        return;
    }
    float newest = weight_of(learned->updated != 0 ? learned->largest : 1.0, shape.eps, shape.alpha);
    if (shape.within != 0 && learned->updated != 0) {
        const float largest = largest_leaf(tree, most);
        newest = largest > 0 ? largest : newest;
    }
    const auto last = static_cast<std::uint32_t>(fresh < ring.slots ? fresh : ring.slots);
    const std::uint64_t pairs = static_cast<std::uint64_t>(last) * ring.lanes;
    if (threadIdx.x == 0) {
        all = 4 * pairs > tree.items ? 1 : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        learned->seen = numbers->appended;
    }
    for (std::uint64_t pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
        const auto back = static_cast<std::uint32_t>(pair / ring.lanes) + 1;
        const auto lane = static_cast<std::uint32_t>(pair % ring.lanes);
        const std::uint32_t count = ring.count[lane];
        if (back <= count) {
            tree.leaves[static_cast<std::uint64_t>(slot_at(ring, lane, count - back)) * ring.lanes + lane] = newest;
        }
        const std::uint32_t age = ring.slots - back;  // of what was lost
        if (count > 0 && count < numbers->appended && age >= count) {
            tree.leaves[static_cast<std::uint64_t>(slot_at(ring, lane, age)) * ring.lanes + lane] = 0;
        }
    }
    for (std::uint32_t lane = threadIdx.x; lane < ring.lanes; lane += blockDim.x) {
        if (ring.count[lane] == 0 && held[lane] != 0) {
            for (std::uint32_t slot = 0; slot < ring.slots; ++slot) {
                tree.leaves[static_cast<std::uint64_t>(slot) * ring.lanes + lane] = 0;
            }
            atomicMax(&all, 1);
        }
        held[lane] = ring.count[lane] > 0 ? 1 : 0;
    }
    __syncthreads();
    std::uint32_t nodes = (tree.items + kWide - 1) / kWide;
    for (std::uint32_t height = 0; height < tree.levels; ++height) {
        if (all != 0) {
            for (std::uint32_t node = threadIdx.x; node < nodes; node += blockDim.x) {
                refresh_node(tree, height, node);
            }
        } else {
            for (std::uint64_t pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
                const auto back = static_cast<std::uint32_t>(pair / ring.lanes) + 1;
                const auto lane = static_cast<std::uint32_t>(pair % ring.lanes);
                const std::uint32_t count = ring.count[lane];
                const std::uint32_t age = ring.slots - back;
                if (back <= count) {
                    const std::uint32_t item = slot_at(ring, lane, count - back) * ring.lanes + lane;
                    refresh_node(tree, height, item >> (4 * (height + 1)));
                }
                if (count > 0 && count < numbers->appended && age >= count) {
                    const std::uint32_t item = slot_at(ring, lane, age) * ring.lanes + lane;
                    refresh_node(tree, height, item >> (4 * (height + 1)));
                }
            }
        }
        nodes = (nodes + kWide - 1) / kWide;
        __syncthreads();
    }
}

// Draws rows with a probability proportional to their weights, and gives their importance weights.
extern "C" __global__ void replay_draw_prioritised(Tree tree, Ring ring, const tn_sample_numbers* numbers, Rows rows,
                                                   float* weights, const double* beta, std::uint32_t stratified) {
    __shared__ double crown[kCrown + 1];
    __shared__ float least;
    fill_crown(tree, crown);
    if (threadIdx.x == 0) {
        float out = __uint_as_float(kNoWeight);
        for (std::uint32_t node = 0; node < tree.top; ++node) {
            out = tree.least[tree.levels - 1][node] < out ? tree.least[tree.levels - 1][node] : out;
        }
        least = out;
    }
    __syncthreads();
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows.count) {
        return;
    }
    const Bits bits = philox(batch_key(*numbers), row / 2);
    double share = row % 2 == 0 ? as_uniform(bits.word[0], bits.word[1]) : as_uniform(bits.word[2], bits.word[3]);
    if (stratified != 0) {
        share = (static_cast<double>(row) + share) / static_cast<double>(rows.count);
    }
    const std::uint32_t item = find_item(tree, crown, share);
    set_row(ring, rows, row, item / ring.lanes, item % ring.lanes);
    weights[row] = raised(tree.leaves[item] / least, static_cast<float>(-*beta));
}

// Takes the priorities of an update. If a transition occurs twice, its last priority counts: owner[item] is the last
// row of the item plus one, and 0 between calls.
extern "C" __global__ void replay_prioritise(Tree tree, const std::uint32_t* slot, const std::uint32_t* lane,
                                             const double* priorities, std::uint32_t rows, std::uint32_t lanes,
                                             std::uint32_t* owner, Learned* learned, Shape shape, tn_fault* fault) {
    __shared__ double largest[kThreads];
    __shared__ std::uint32_t wrong;
    if (threadIdx.x == 0) {
        wrong = 0;
    }
    __syncthreads();
    double most = learned->updated != 0 ? learned->largest : 0.0;
    for (std::uint32_t row = threadIdx.x; row < rows; row += blockDim.x) {
        const double priority = priorities[row];
        if (!(priority >= 0 && priority <= 1.7976931348623157e308)) {
            if (atomicCAS(&fault->status, 0, TN_INVALID_ARGUMENT) == 0) {
                fault->where = row;
            }
            atomicMax(&wrong, 1);
        }
        const double shaped = shape.square != 0 ? priority * priority : priority;
        most = shaped > most ? shaped : most;
        atomicMax(&owner[static_cast<std::uint64_t>(slot[row]) * lanes + lane[row]], row + 1);
    }
    largest[threadIdx.x] = most;
    __syncthreads();
    for (std::uint32_t row = threadIdx.x; row < rows; row += blockDim.x) {
        const std::uint32_t item = slot[row] * lanes + lane[row];
        if (owner[item] == row + 1 && wrong == 0) {
            const double priority = priorities[row];
            tree.leaves[item] = weight_of(shape.square != 0 ? priority * priority : priority, shape.eps, shape.alpha);
        }
    }
    for (std::uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && largest[threadIdx.x + half] > largest[threadIdx.x]) {
            largest[threadIdx.x] = largest[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && wrong == 0) {
        learned->largest = largest[0];
        learned->updated = 1;
    }
    for (std::uint32_t row = threadIdx.x; row < rows; row += blockDim.x) {
        owner[slot[row] * lanes + lane[row]] = 0;
    }
    __syncthreads();
    for (std::uint32_t height = 0; height < tree.levels; ++height) {
        for (std::uint32_t row = threadIdx.x; row < rows; row += blockDim.x) {
            const std::uint32_t item = slot[row] * lanes + lane[row];
            refresh_node(tree, height, item >> (4 * (height + 1)));
        }
        __syncthreads();
    }
}

// All nodes, after the leaves were loaded.
extern "C" __global__ void replay_rebuild(Tree tree) {
    std::uint32_t nodes = (tree.items + kWide - 1) / kWide;
    for (std::uint32_t height = 0; height < tree.levels; ++height) {
        for (std::uint32_t node = threadIdx.x; node < nodes; node += blockDim.x) {
            refresh_node(tree, height, node);
        }
        nodes = (nodes + kWide - 1) / kWide;
        __syncthreads();
    }
}
