// SPDX-License-Identifier: Apache-2.0
#include "gradient/adjoints.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace tenon::graph {
namespace {

// The gradient of a node that has stacked its inputs along a new dimension.
V part_of_stack(const Differentiated& k, V g, std::size_t i) {
    return {g.in, g.in->emit(OpId::kPick_1, {g.id},
                             {{"index", static_cast<std::int64_t>(i)}, {"of", string_attribute(k.node, "name")}})};
}

// The gradients of a node that makes a size the agents' dimension, and of one that does the reverse.
V ungrouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit(OpId::kUngroup_1, {g.id}, k.node.attributes)};
}
V grouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit(OpId::kGroup_1, {g.id}, k.node.attributes)};
}

V part_of_concat(const Differentiated& k, V g, std::size_t i) {
    std::int64_t start = 0;
    for (std::size_t before = 0; before < i; ++before) {
        start += last_size(k.in(before));
    }
    return {g.in, g.in->emit(OpId::kSlice_1, {g.id}, {{"start", start}, {"length", last_size(k.in(i))}})};
}

#include "gradient/generated/adjoints.inc"

}  // namespace

Adjoint adjoint_of(const OpDef& op) {
    return kAdjoints[static_cast<std::size_t>(op.id)];
}

}  // namespace tenon::graph
