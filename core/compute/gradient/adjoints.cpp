// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/adjoints.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "compute/gradient/image_adjoints.hpp"

namespace tenon::graph {
namespace {

// The gradient of a node that has stacked its inputs along a new dimension.
V part_of_stack(const Differentiated& k, V g, std::size_t i) {
    return pick(g, static_cast<std::int64_t>(i), string_attribute(k.node, "name"));
}

// The gradients of a node that makes a size the agents' dimension, and of the node that makes the agents' dimension a
// size.
V ungrouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit(OpId::kUngroup_1, {g.id}, k.node.attributes)};
}
V grouped(const Differentiated& k, V g) {
    return {g.in, g.in->emit(OpId::kGroup_1, {g.id}, k.node.attributes)};
}

V part_of_concat(const Differentiated& k, V g, std::size_t i, std::int64_t axis) {
    std::int64_t start = 0;
    for (std::size_t before = 0; before < i; ++before) {
        start += size_at(k.in(before), axis);
    }
    return slice(g, start, size_at(k.in(i), axis), axis);
}

// The row of g at the index, which is one for all sizes.
V row_at(V g, V index, std::int64_t axis) {
    for (std::size_t i = 0; i < sizes(g).size(); ++i) {
        index = unsqueeze(index, -1);
    }
    return squeeze(take_along(g, index, axis), axis);
}

// The order that puts permuted sizes back.
std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& order) {
    const std::int64_t sizes = std::ssize(order);
    std::vector<std::int64_t> out(order.size());
    for (std::int64_t i = 0; i < sizes; ++i) {
        out[static_cast<std::size_t>(sizes + order[static_cast<std::size_t>(i)])] = i - sizes;
    }
    return out;
}

// Whether keys and values are windows that move over the rows of all steps.
bool attends_windows(const Differentiated& k) {
    const Graph& graph = k.graph.graph();
    return size_at(k.in(0), -2) == 1 && int_attribute(k.node, "causal") == 0 &&
           std::ranges::all_of(k.node.inputs.begin() + 1, k.node.inputs.begin() + 3, [&](ValueId input) {
               const Node& of = graph.node_of(input);
               return of.is(OpId::kWindows_1) && int_attribute(of, "axis") == -2;
           });
}

// A gradient that only the last row of each window has needs no sum.
V rows_of_windows(const Differentiated& k, V g) {
    const std::int64_t axis = int_attribute(k.node, "axis");
    const Node& of = k.graph.graph().node_of(g.id);
    const bool last_alone =
        of.is(OpId::kPad_1) && axis_of(of) == axis && int_attribute(of, "start") == int_attribute(k.node, "window") - 1;
    return last_alone ? squeeze({g.in, of.inputs[0]}, axis) : sum_windows(g, axis);
}

// The gradient of an input of an attention. One node computes those of all inputs, one after the other.
V part_of_attention(const Differentiated& k, V g, std::size_t i) {
    std::vector<ValueId> inputs{g.id};
    inputs.insert(inputs.end(), k.node.inputs.begin(), k.node.inputs.end());
    // A row's gradient is the sum over all windows that it is in. The kernel adds them up and writes the sum at the
    // row's own step.
    const bool over_time = attends_windows(k);
    const auto shape_of = [&](std::size_t part) {
        return std::vector<std::int64_t>{over_time ? 1 : size_at(k.in(part), -2), size_at(k.in(part), -1)};
    };
    std::int64_t wanted = 0;
    std::int64_t start = 0;
    for (std::size_t part = 0; part < 3; ++part) {
        wanted |= k.wanted[part] ? std::int64_t{1} << part : 0;
        start += part < i && k.wanted[part] ? shape_of(part)[0] * shape_of(part)[1] : 0;
    }
    std::vector<Attribute> attributes = k.node.attributes;
    attributes.push_back({"over_time", std::int64_t{over_time ? 1 : 0}});
    attributes.push_back({"wanted", wanted});
    const V all{g.in, g.in->emit(OpId::kAttentionGradient_1, std::move(inputs), std::move(attributes))};
    const std::vector<std::int64_t> shape = shape_of(i);
    const V part = reshape(slice(all, start, shape[0] * shape[1], -1), shape);
    const std::int64_t rows = size_at(k.in(i), -2);
    return over_time && i > 0 ? pad(part, rows - 1, rows, -2) : part;
}

// The gradient of what a node has placed along a dimension that its input lacks.
V at_place(const Differentiated& k, V g, std::int64_t index) {
    const Graph& graph = k.graph.graph();
    const Type& x = graph.type(k.node.inputs[0]);
    const auto symbols = graph.type(k.y.id).symbols();
    const Dim lacking = *std::ranges::find_if(symbols, [&](Dim dim) { return !x.has(dim); });
    return lacking == kTime ? at_time(g, index) : pick(g, index, graph.symbols.role(lacking));
}

// The name of the leading dimension that a node has made from the last size of its first input.
std::string made_by(const Differentiated& k) {
    const Graph& graph = k.graph.graph();
    const Type& x = graph.type(k.node.inputs[0]);
    const auto symbols = graph.type(k.y.id).symbols();
    return graph.symbols.role(*std::ranges::find_if(symbols, [&](Dim dim) { return !x.has(dim); }));
}

#include "compute/gradient/generated/adjoints.inc"

}  // namespace

Adjoint adjoint_of(const OpDef& op) {
    return kAdjoints[static_cast<std::size_t>(op.id)];
}

}  // namespace tenon::graph
