// SPDX-License-Identifier: Apache-2.0
// The limits of a graph. No machine computes a larger one, and within them no product of sizes overflows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "compute/graph/type.hpp"
#include "tenon/abi/graph.h"

namespace tenon::graph {

inline constexpr std::size_t kMostDimensions = TN_MAX_RANK;
inline constexpr int kMostElementsLog2 = 37;  // of one value over all rows: half a TiB in float32
inline constexpr std::int64_t kMostElements = std::int64_t{1} << kMostElementsLog2;
// Slots, lanes and these are at most the dimensions of a column; for a group, the agents are one of these.
inline constexpr std::size_t kMostMemorySizes = 6;
// The update of the largest shipped manifest has 343. As many as this take half a minute and 300 MB to compile.
inline constexpr std::size_t kMostNodes = std::size_t{1} << 15U;
inline constexpr std::size_t kMostSources = 2 * kMostNodes;  // lines of authors: merged nodes have one each
inline constexpr std::size_t kMostOpenRegions = 64;
inline constexpr std::size_t kMostStages = 64;
inline constexpr std::size_t kMostNamed = 4096;  // of each kind: metrics, writes, checks and so on
inline constexpr std::uint32_t kMostCount =
    1U << 16U;  // inputs, attributes, elements of an attribute, characters of a text
inline constexpr std::uint32_t kMostStructSize = 1U << 12U;  // of a struct from a newer plugin

// The product of two non-negative numbers, or kMostElements + 1 if it is larger than kMostElements.
std::int64_t bounded_product(std::int64_t a, std::int64_t b);

// The same for all sizes.
std::int64_t bounded_product(std::span<const std::int64_t> sizes);

// Why no value can have the type in a program of so many rows, to follow the name of the value; empty if one can.
std::string excess(const Type& type, const Symbols& symbols, std::int64_t rows);

}  // namespace tenon::graph
