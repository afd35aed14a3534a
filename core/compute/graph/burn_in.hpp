// SPDX-License-Identifier: Apache-2.0
// Numbers the steps of sequences, to find the end of the burn-in.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

// The number of each step, from 1, in the rows of `flags`, which is a bool per row. `emit(op, inputs, attributes)` adds
// a node.
template <class Emit>
ValueId step_numbers(ValueId flags, ValueId one, const Emit& emit) {
    const std::vector<Attribute> forwards{{"reverse", std::int64_t{0}}};
    const ValueId ones = emit(OpId::kWhere_1, std::vector{flags, one, one}, std::vector<Attribute>{});
    return emit(OpId::kScanLinear_1, std::vector{one, ones}, forwards);
}

}  // namespace tenon::graph
