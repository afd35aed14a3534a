// SPDX-License-Identifier: Apache-2.0
// The tree of weights on a device: sixteen children a node, and the order of summation of replay's sum_tree.hpp, so
// that sums, and thus draws, are equal to the bit.
#pragma once

#include <cstdint>

#include "tenon/emulated.hpp"

constexpr std::uint32_t kWide = 16;
constexpr std::uint32_t kCrown = 256;
constexpr std::uint32_t kMostLevels = 8;
constexpr std::uint32_t kNoWeight = 0x7F800000;  // the bits of infinity

// A group is the items below one node of height 2: a block refreshes their nodes without waiting for another one.
constexpr std::uint32_t kGroupHeights = 3;
constexpr std::uint32_t kGroupLines = kWide * kWide;
constexpr std::uint32_t kGroupItems = kGroupLines * kWide;
constexpr std::uint32_t kGroupApart = 128;  // bytes between marks of groups: all rows write some of them

struct Tree {
    float* leaves;            // as many as lines of sixteen need
    float* sum[kMostLevels];  // of the lines below
    float* least[kMostLevels];
    std::uint32_t items;
    std::uint32_t levels;
    std::uint32_t top;  // nodes of the last level
};

__device__ inline std::uint32_t lines_for(std::uint32_t count) {
    return count / kWide + (count % kWide != 0 ? 1 : 0);
}

__device__ inline float total_of(const float* x) {
    float part[4];
    for (int i = 0; i < 4; ++i) {
        part[i] = (x[i] + x[i + 4]) + (x[i + 8] + x[i + 12]);
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
}

__device__ inline float least_of(const float* x, bool above_zero) {
    float out = __uint_as_float(kNoWeight);
    for (std::uint32_t i = 0; i < kWide; ++i) {
        out = (!above_zero || x[i] > 0) && x[i] < out ? x[i] : out;
    }
    return out;
}

// A line of memory; aligned, so that it is read by four loads.
struct alignas(16) Line {
    float value[kWide];
};
__device__ inline Line line_at(const float* nodes, std::uint32_t line) {
    return reinterpret_cast<const Line*>(nodes)[line];
}

struct Node {
    float sum = 0;
    float least = __uint_as_float(kNoWeight);
};

// The node above a line of others: its sums, and the least of each.
__device__ inline Node node_over(const float* sums, const float* leasts) {
    return {total_of(sums), least_of(leasts, false)};
}

__device__ inline Node node_at(const Tree& tree, std::uint32_t height, std::uint32_t at) {
    return {tree.sum[height][at], tree.least[height][at]};
}

__device__ inline void put_node(const Tree& tree, std::uint32_t height, std::uint32_t at, const Node& node) {
    tree.sum[height][at] = node.sum;
    tree.least[height][at] = node.least;
}

// Which of four weights contains the mass in their prefix sum; subtracts the sum before it.
__device__ inline std::uint32_t pass(float a, float b, float c, double& mass) {
    const double first = a;
    const double second = b;
    const double third = c;
    const bool past_first = mass >= first;
    const bool past_second = mass >= first + second;
    const bool past_third = mass >= first + second + third;
    mass -= (past_first ? first : 0.0) + (past_second ? second : 0.0) + (past_third ? third : 0.0);
    return static_cast<std::uint32_t>(past_first) + static_cast<std::uint32_t>(past_second) +
           static_cast<std::uint32_t>(past_third);
}

__device__ inline float quarter_of(const float* x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}

// The child of the line that contains the mass.
__device__ inline std::uint32_t child_of(const float* line, double& mass) {
    const std::uint32_t quarter = pass(quarter_of(line), quarter_of(line + 4), quarter_of(line + 8), mass);
    const float* four = line + std::uint64_t{4} * quarter;
    const std::uint32_t at = 4 * quarter + pass(four[0], four[1], four[2], mass);
    if (line[at] > 0) {
        return at;
    }
    std::uint32_t found = at;  // sums are rounded: the nearest weight before it, or else the next one after it
    while (found > 0 && line[found] <= 0) {
        --found;
    }
    if (line[found] <= 0) {
        found = at;
        while (found + 1 < kWide && line[found] <= 0) {
            ++found;
        }
    }
    mass = line[found];
    return found;
}

// The prefix sums of the uppermost nodes, whose weights these are.
__device__ inline void fill_crown(const float* nodes, double* crown) {
    double sum = 0;
    crown[0] = 0;
    for (std::uint32_t first = 0; first < kCrown; first += kWide) {
        float some[kWide];  // read before anything is written, so that additions do not wait for memory
        for (std::uint32_t i = 0; i < kWide; ++i) {
            some[i] = nodes[first + i];
        }
        for (std::uint32_t i = 0; i < kWide; ++i) {
            sum += some[i];
            crown[first + i + 1] = sum;
        }
    }
}

// The item at which the prefix sum exceeds the share of the total.
__device__ inline std::uint32_t find_item(const Tree& tree, const double* crown, double share) {
    double mass = share * crown[tree.top];
    std::uint32_t node = 0;
    for (std::uint32_t step = kCrown / 2; step > 0; step /= 2) {
        node += mass >= crown[node + step] ? step : 0;
    }
    while (node > 0 && crown[node + 1] <= crown[node]) {  // a share was rounded up to the total
        --node;
        mass = crown[node + 1];
    }
    mass -= crown[node];
    for (std::uint32_t level = tree.levels - 1; level-- > 0;) {
        node = node * kWide + child_of(tree.sum[level] + static_cast<std::uint64_t>(node) * kWide, mass);
    }
    return node * kWide + child_of(tree.leaves + static_cast<std::uint64_t>(node) * kWide, mass);
}
