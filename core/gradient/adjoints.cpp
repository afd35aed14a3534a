// SPDX-License-Identifier: Apache-2.0
#include "gradient/adjoints.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace tenon::graph {
namespace {

// The gradient of a node that has stacked its inputs along a new dimension.
V part_of_stack(const Differentiated& k, V g, std::size_t i) {
    return {g.in, g.in->emit("pick", {g.id},
                             {{"index", static_cast<std::int64_t>(i)}, {"of", string_attribute(k.node, "name")}})};
}

// The gradients of a node that makes a size the agents' dimension, and of one that does the reverse.
V ungrouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit("ungroup", {g.id}, k.node.attributes)};
}
V grouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit("group", {g.id}, k.node.attributes)};
}

V part_of_concat(const Differentiated& k, V g, std::size_t i) {
    std::int64_t start = 0;
    for (std::size_t before = 0; before < i; ++before) {
        start += last_size(k.in(before));
    }
    return {g.in, g.in->emit("slice", {g.id}, {{"start", start}, {"length", last_size(k.in(i))}})};
}

#include "gradient/generated/adjoints.inc"

}  // namespace

Adjoint adjoint_of(const OpDef& op) {
    const OpDef* own = find_op(op.name, op.revision);  // the graph may come from a module with its own table
    return own == nullptr ? nullptr : kAdjoints[own - op_table().data()];
}

}  // namespace tenon::graph
