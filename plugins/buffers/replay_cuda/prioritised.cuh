// SPDX-License-Identifier: Apache-2.0
// Kernels of prioritised replay. Weights change in two steps: some blocks write them down and mark where, then each
// block refreshes the nodes above one group of marked ones.
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

// A weight that an update gives, in the lower bits, and the number of its row plus one in the upper bits. If several
// rows have the same item, that of the last row is the largest, so an atomic maximum keeps it. The type is that of
// CUDA's atomic functions.
using Claim = unsigned long long;

// What has changed since the last refresh; all 0 after it.
struct Changes {
    Claim* claims;         // [items, whole lines] by the priorities of an update
    std::uint8_t* lines;   // [lines] 1: some leaf of the line has changed
    std::uint8_t* groups;  // [groups], kGroupApart bytes each; 1: some line of the group has
    Claim* largest;        // [1] bits of the largest priority of the update
    std::uint32_t* most;   // [1] bits of the largest leaf, for new transitions
};

__device__ inline void mark(const Changes& changes, std::uint32_t item) {
    changes.lines[item / kWide] = 1;
    changes.groups[std::uint64_t{item / kGroupItems} * kGroupApart] = 1;
}

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

__device__ inline void put_leaf(const Tree& tree, const Changes& changes, std::uint32_t item, float weight) {
    tree.leaves[item] = weight;
    mark(changes, item);
}

// The largest of what the threads of a block have, for thread 0; `all` has a place for each of them.
template <class T>
__device__ inline T largest_of_block(T own, T* all) {
    all[threadIdx.x] = own;
    __syncthreads();
    for (std::uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && all[threadIdx.x + half] > all[threadIdx.x]) {
            all[threadIdx.x] = all[threadIdx.x + half];
        }
        __syncthreads();
    }
    return all[0];
}

// The largest of all leaves, if there are new transitions, which will have it.
extern "C" __global__ void replay_find_largest(Tree tree, Changes changes, const tn_sample_numbers* numbers,
                                               const Learned* learned) {
    __shared__ float all[kThreads];
    if (numbers->appended == learned->seen) {
        return;
    }
    float own = 0;
    for (std::uint64_t item = blockIdx.x * blockDim.x + threadIdx.x; item < tree.items;
         item += std::uint64_t{gridDim.x} * blockDim.x) {
        own = tree.leaves[item] > own ? tree.leaves[item] : own;
    }
    const float most = largest_of_block(own, all);
    if (threadIdx.x == 0) {
        atomicMax(changes.most, __float_as_uint(most));
    }
}

// The weight of new transitions.
__device__ inline float newest_weight(const Changes& changes, const Learned& learned, const Shape& shape) {
    if (shape.within != 0 && learned.updated != 0 && *changes.most != 0) {
        return __uint_as_float(*changes.most);
    }
    return weight_of(learned.updated != 0 ? learned.largest : 1.0, shape.eps, shape.alpha);
}

// Adds the transitions that were collected since the last batch, with the weight of new ones, and removes those that
// were overwritten.
extern "C" __global__ void replay_follow(Tree tree, Changes changes, Ring ring, const tn_sample_numbers* numbers,
                                         const Learned* learned, std::uint8_t* held, Shape shape) {
    const std::uint64_t fresh = numbers->appended - learned->seen;
    if (fresh == 0) {
        return;
    }
    const float newest = newest_weight(changes, *learned, shape);
    const std::uint64_t pairs = (fresh < ring.slots ? fresh : ring.slots) * ring.lanes;
    const std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t step = gridDim.x * blockDim.x;
    for (std::uint64_t pair = first; pair < pairs; pair += step) {
        const auto back = static_cast<std::uint32_t>(pair / ring.lanes) + 1;
        const auto lane = static_cast<std::uint32_t>(pair % ring.lanes);
        const std::uint32_t count = ring.count[lane];
        if (back <= count) {
            put_leaf(tree, changes, slot_at(ring, lane, count - back) * ring.lanes + lane, newest);
        }
        const std::uint32_t age = ring.slots - back;  // of what was lost
        if (count > 0 && count < numbers->appended && age >= count) {
            put_leaf(tree, changes, slot_at(ring, lane, age) * ring.lanes + lane, 0);
        }
    }
    for (std::uint32_t lane = first; lane < ring.lanes; lane += step) {
        for (std::uint32_t slot = 0; slot < ring.slots && ring.count[lane] == 0 && held[lane] != 0; ++slot) {
            put_leaf(tree, changes, slot * ring.lanes + lane, 0);
        }
        held[lane] = ring.count[lane] > 0 ? 1 : 0;
    }
}

// Draws rows with a probability proportional to their weights, and gives their importance weights.
extern "C" __global__ void replay_draw_prioritised(Tree tree, Ring ring, const tn_sample_numbers* numbers, Rows rows,
                                                   float* weights, const double* beta, std::uint32_t stratified) {
    __shared__ double crown[kCrown + 1];
    __shared__ float nodes[kCrown];
    __shared__ float leasts[kCrown];
    __shared__ float least;
    for (std::uint32_t node = threadIdx.x; node < kCrown; node += blockDim.x) {
        nodes[node] = node < tree.top ? tree.sum[tree.levels - 1][node] : 0;
        leasts[node] = node < tree.top ? tree.least[tree.levels - 1][node] : __uint_as_float(kNoWeight);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        fill_crown(nodes, crown);
    }
    if (threadIdx.x == blockDim.x - 1) {  // in another warp, if there are several
        float out = __uint_as_float(kNoWeight);
        for (std::uint32_t node = 0; node < kCrown; ++node) {
            out = leasts[node] < out ? leasts[node] : out;
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

// Takes the priorities of an update: a thread claims an item for one row.
extern "C" __global__ void replay_prioritise(Changes changes, const std::uint32_t* slot, const std::uint32_t* lane,
                                             const double* priorities, std::uint32_t rows, std::uint32_t lanes,
                                             Shape shape, tn_fault* fault) {
    __shared__ double all[kThreads];
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    double shaped = 0;
    if (row < rows) {
        const double priority = priorities[row];
        if (!(priority >= 0 && priority <= 1.7976931348623157e308) &&
            atomicCAS(&fault->status, 0, TN_INVALID_ARGUMENT) == 0) {
            fault->where = row;
        }
        shaped = shape.square != 0 ? priority * priority : priority;
        const std::uint32_t item = slot[row] * lanes + lane[row];
        const float weight = weight_of(shaped, shape.eps, shape.alpha);
        atomicMax(&changes.claims[item], Claim{joined(row + 1, __float_as_uint(weight))});
        mark(changes, item);
    }
    const double largest = largest_of_block(shaped > 0 ? shaped : 0.0, all);
    if (threadIdx.x == 0) {
        atomicMax(changes.largest, static_cast<Claim>(__double_as_longlong(largest)));
    }
}

// The claims of a line of leaves; aligned, so that they are read by few loads.
struct alignas(16) ClaimedLine {
    Claim of[kWide];
};

// The leaves that an update has claimed get their weights, if priorities count. Recomputes the node above them.
__device__ inline Node refreshed_line(const Tree& tree, const Changes& changes, std::uint32_t line, bool counts) {
    const ClaimedLine claims = reinterpret_cast<const ClaimedLine*>(changes.claims)[line];
    Line leaves = line_at(tree.leaves, line);
    for (std::uint32_t i = 0; i < kWide; ++i) {
        const std::uint64_t item = std::uint64_t{line} * kWide + i;
        if (claims.of[i] != 0) {
            changes.claims[item] = 0;
        }
        if (claims.of[i] != 0 && counts) {
            leaves.value[i] = __uint_as_float(static_cast<std::uint32_t>(claims.of[i]));
            tree.leaves[item] = leaves.value[i];
        }
    }
    const Node node{total_of(leaves.value), least_of(leaves.value, true)};
    put_node(tree, 0, line, node);
    return node;
}

// What is learnt from all changes together. `numbers` null: they are priorities.
__device__ inline void conclude_changes(const Changes& changes, const tn_sample_numbers* numbers, Learned& learned,
                                        bool counts) {
    if (numbers != nullptr) {
        learned.seen = numbers->appended;
    } else if (counts) {
        const double largest = __longlong_as_double(static_cast<long long>(*changes.largest));
        learned.largest = learned.updated != 0 && learned.largest > largest ? learned.largest : largest;
        learned.updated = 1;
    }
    *changes.largest = 0;
    *changes.most = 0;
}

// Nodes that a block keeps in shared memory, so that the nodes above them need not wait for the device's memory.
template <std::uint32_t kCount>
struct Nodes {
    float sums[kCount];
    float leasts[kCount];
};

template <std::uint32_t kCount>
__device__ inline void keep_node(Nodes<kCount>& nodes, std::uint32_t at, const Node& node) {
    nodes.sums[at] = node.sum;
    nodes.leasts[at] = node.least;
}

// The nodes above what has changed, of the heights of groups: each is the sum of its line, whatever the order in which
// they are computed. If a kernel has found something wrong, no priority counts.
extern "C" __global__ void replay_refresh(Tree tree, Changes changes, const tn_sample_numbers* numbers,
                                          Learned* learned, const tn_fault* fault) {
    __shared__ Nodes<kGroupLines> low;
    __shared__ Nodes<kWide> high;
    const bool counts = fault->status == TN_OK;
    const std::uint32_t lines = lines_for(tree.items);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        conclude_changes(changes, numbers, *learned, counts);
    }
    for (std::uint32_t group = blockIdx.x; group * kGroupLines < lines; group += gridDim.x) {
        std::uint8_t& changed = changes.groups[std::uint64_t{group} * kGroupApart];
        if (changed == 0) {
            continue;
        }
        for (std::uint32_t i = threadIdx.x; i < kGroupLines; i += blockDim.x) {
            const std::uint32_t line = group * kGroupLines + i;
            Node node;
            if (line < lines) {
                node = node_at(tree, 0, line);
                if (changes.lines[line] != 0) {
                    changes.lines[line] = 0;
                    node = refreshed_line(tree, changes, line, counts);
                }
            }
            keep_node(low, i, node);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            changed = 0;
        }
        for (std::uint32_t i = threadIdx.x; i < kWide; i += blockDim.x) {
            const std::uint32_t at = group * kWide + i;
            const Node node = node_over(&low.sums[std::size_t{i} * kWide], &low.leasts[std::size_t{i} * kWide]);
            if (tree.levels > 1 && at < lines_for(lines)) {
                put_node(tree, 1, at, node);
            }
            keep_node(high, i, node);
        }
        __syncthreads();
        if (tree.levels > 2 && threadIdx.x == 0) {
            put_node(tree, 2, group, node_over(high.sums, high.leasts));
        }
    }
}

// The nodes above groups, of a large tree. One block.
extern "C" __global__ void replay_refresh_upper(Tree tree) {
    std::uint32_t nodes = lines_for(tree.items);
    for (std::uint32_t height = 1; height < tree.levels; ++height) {
        nodes = lines_for(nodes);
        for (std::uint32_t node = threadIdx.x; height >= kGroupHeights && node < nodes; node += blockDim.x) {
            put_node(tree, height, node,
                     node_over(line_at(tree.sum[height - 1], node).value, line_at(tree.least[height - 1], node).value));
        }
        __syncthreads();
    }
}
