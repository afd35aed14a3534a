// SPDX-License-Identifier: Apache-2.0
// Composites that executors compute in one pass instead of by their bodies, if no gradient is needed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/simd/estimators.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

// The inputs in their order, one letter each: Reward, Value, Next value, Terminated, Done, rhO, C (all of these
// sequences), Gamma, Lambda (numbers).
struct KnownComposite {
    std::string_view name;
    std::int64_t revision;
    std::string_view inputs;
    void (*in_float)(const simd::Extents&, const simd::Steps<float>&, float*, simd::Level);
    void (*in_double)(const simd::Extents&, const simd::Steps<double>&, double*, simd::Level);
};

// Null if there is none with this name and revision.
const KnownComposite* find_composite(std::string_view name, std::int64_t revision);

// The graph with those composites as single nodes, ops "composite" with the attributes "name" and "revision". Their
// bodies stay in the graph for other readers.
graph::Graph with_composites(const graph::Graph& graph);

// Dense memory of each input, in their order.
void run(const KnownComposite& known, const simd::Extents& extents, std::span<const void* const> inputs, float* out);
void run(const KnownComposite& known, const simd::Extents& extents, std::span<const void* const> inputs, double* out);

}  // namespace tenon
