// SPDX-License-Identifier: Apache-2.0
// Rearranging, joining, selecting and repeating elements.
#include <algorithm>
#include <numeric>
#include <utility>

#include "commands/export/onnx_translator.hpp"

namespace tenon {
namespace {

using graph::Dim;
using graph::OpId;
using graph::Type;

// The leading dimension that `whole` has and the other lacks.
std::size_t place_of_lacked(const Type& whole, const Type& other) {
    const auto found = std::ranges::find_if(whole.dims, [&](Dim dim) { return dim < 0 && !other.has(dim); });
    return static_cast<std::size_t>(found - whole.dims.begin());
}

std::size_t place_from_end(const graph::Node& node, const Type& type) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(type.dims.size()) + graph::axis_of(node));
}

// The result's type with the input's size along the axis.
Type with_size_of(Type result, const Type& input, const graph::Node& node) {
    result.dims[place_from_end(node, result)] = input.dims[place_from_end(node, input)];
    return result;
}

std::string gather(const OnnxAt& at) {
    Type full = at.type;
    full.dims.push_back(at.type_of(0).dims.back());
    const std::string x = at.out.expanded(at.in(0), at.type_of(0), full);
    const std::string index = at.out.expanded(at.in(1), at.type_of(1), at.type);
    const std::string last = at.out.ints({-1});
    const std::string found =
        at.out.node("GatherElements", {x, at.out.node("Unsqueeze", {index, last})}, {{"axis", std::int64_t{-1}}});
    return at.out.node("Squeeze", {found, last});
}

std::string take_along(const OnnxAt& at) {
    const std::string x = at.out.expanded(at.in(0), at.type_of(0), with_size_of(at.type, at.type_of(0), at.node));
    const std::string index = at.out.expanded(at.in(1), at.type_of(1), at.type);
    return at.out.node("GatherElements", {x, index}, {{"axis", graph::axis_of(at.node)}});
}

std::string put(const OnnxAt& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    Type one = at.type;
    one.dims[place_from_end(at.node, one)] = 1;
    Type by = at.type_of(1);
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < at.type.sizes().size(); ++i) {
        made.push_back(-1 - static_cast<std::int64_t>(i));
        by.dims.push_back(1);
    }
    const std::string index = at.out.node("Unsqueeze", {at.in(1), at.out.ints(made)});
    Type row = at.type_of(2);
    std::string from = at.in(2);
    if (!row.dims.empty()) {
        from = at.out.node("Unsqueeze", {from, at.out.ints({axis})});
        row.dims.insert(row.dims.end() + axis + 1, 1);
    }
    return at.out.node("ScatterElements",
                       {at.out.expanded(at.in(0), at.type_of(0), at.type), at.out.expanded(index, by, one),
                        at.out.expanded(from, row, one)},
                       {{"axis", axis}});
}

std::string take(const OnnxAt& at) {
    if (at.type_of(0).symbol_count() > 0) {
        return "";
    }
    return at.out.node("Gather", {at.real(0), at.in(1)}, {{"axis", std::int64_t{0}}});
}

std::string spread(const OnnxAt& at) {
    return at.out.expanded(at.in(0), at.type_of(0), at.type);
}

std::string stack(const OnnxAt& at) {
    const auto made = std::ranges::find_if(at.type.dims, [&](Dim dim) {
        return dim < 0 && std::ranges::none_of(
                              at.node.inputs, [&](graph::ValueId value) { return at.translator.type(value).has(dim); });
    });
    const auto place = static_cast<std::int64_t>(made - at.type.dims.begin());
    Type each = at.type;
    each.dims.erase(each.dims.begin() + place);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const std::string part = at.out.converted(at.input(i), at.type.kind);
        parts.push_back(at.out.node("Unsqueeze", {at.out.expanded(part, at.type_of(i), each), at.out.ints({place})}));
    }
    return at.out.node("Concat", std::move(parts), {{"axis", place}});
}

std::string pick(const OnnxAt& at) {
    const std::size_t along = place_of_lacked(at.type_of(0), at.type);
    const std::string index = at.out.whole(graph::int_attribute(at.node, "index"));
    return at.out.node("Gather", {at.in(0), index}, {{"axis", static_cast<std::int64_t>(along)}});
}

std::string reorder(const OnnxAt& at) {
    const OpId op = at.node.op->id;
    const Type& from = at.type_of(0);
    const std::size_t rank = from.dims.size();
    if (op == OpId::kPermute_1) {
        std::vector<std::int64_t> order(from.symbol_count());
        std::iota(order.begin(), order.end(), 0);
        for (const std::int64_t each : graph::ints_attribute(at.node, "order")) {
            order.push_back(static_cast<std::int64_t>(rank) + each);
        }
        return at.out.permuted(at.in(0), std::move(order));
    }
    const bool leaves = op == OpId::kCollect_1 || op == OpId::kUngroup_1;  // a leading dimension becomes a size
    const std::size_t leading = op == OpId::kTranspose_1 ? rank - 2
                                : leaves                 ? place_of_lacked(from, at.type)
                                                         : place_of_lacked(at.type, from);
    const std::size_t size = op == OpId::kGroup_1     ? place_from_end(at.node, from)
                             : op == OpId::kUngroup_1 ? place_from_end(at.node, at.type)
                                                      : rank - 1;
    return at.out.moved(at.in(0), rank, leaves ? leading : size, leaves ? size : leading);
}

std::string concat(const OnnxAt& at) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const std::string part = at.out.converted(at.input(i), at.type.kind);
        parts.push_back(at.out.expanded(part, at.type_of(i), with_size_of(at.type, at.type_of(i), at.node)));
    }
    return at.out.node("Concat", std::move(parts), {{"axis", graph::axis_of(at.node)}});
}

std::string slice(const OnnxAt& at) {
    const std::int64_t start = graph::int_attribute(at.node, "start");
    const std::int64_t end = start + graph::int_attribute(at.node, "length");
    return at.out.node("Slice",
                       {at.in(0), at.out.ints({start}), at.out.ints({end}), at.out.ints({graph::axis_of(at.node)})});
}

std::string squeeze(const OnnxAt& at) {
    const std::string axis = at.out.ints({graph::axis_of(at.node)});
    return at.out.node(at.node.is(OpId::kSqueeze_1) ? "Squeeze" : "Unsqueeze", {at.in(0), axis});
}

// A 0 in the shape keeps a dimension.
std::string reshape(const OnnxAt& at) {
    std::vector<std::int64_t> shape(at.type.symbol_count(), 0);
    shape.insert(shape.end(), at.type.sizes().begin(), at.type.sizes().end());
    return at.out.node("Reshape", {at.in(0), at.out.ints(std::move(shape))});
}

}  // namespace

OnnxForm onnx_structure_form(OpId op) {
    static constexpr graph::ByOp<OnnxForm> kForms{
        {OpId::kGather_1, gather},   {OpId::kTakeAlong_1, take_along}, {OpId::kPut_1, put},
        {OpId::kTake_1, take},       {OpId::kSpread_1, spread},        {OpId::kStack_1, stack},
        {OpId::kPick_1, pick},       {OpId::kCollect_1, reorder},      {OpId::kUncollect_1, reorder},
        {OpId::kGroup_1, reorder},   {OpId::kUngroup_1, reorder},      {OpId::kTranspose_1, reorder},
        {OpId::kPermute_1, reorder}, {OpId::kConcat_1, concat},        {OpId::kConcat_2, concat},
        {OpId::kSlice_1, slice},     {OpId::kSlice_2, slice},          {OpId::kUnsqueeze_1, squeeze},
        {OpId::kSqueeze_1, squeeze}, {OpId::kReshape_1, reshape}};
    return kForms[op];
}

}  // namespace tenon
