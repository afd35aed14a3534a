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

}  // namespace

bool OnnxTranslator::gather(const At& at) {
    Type full = at.type;
    full.dims.push_back(type_of(at, 0).dims.back());
    const std::string x = out_.expanded(in(at, 0), type_of(at, 0), full);
    const std::string index = out_.expanded(in(at, 1), type_of(at, 1), at.type);
    const std::string last = out_.ints({-1});
    const std::string found =
        out_.node("GatherElements", {x, out_.node("Unsqueeze", {index, last})}, {{"axis", std::int64_t{-1}}});
    give(at, out_.node("Squeeze", {found, last}));
    return true;
}

bool OnnxTranslator::take_along(const At& at) {
    const std::string x = out_.expanded(in(at, 0), type_of(at, 0), with_size_of(at.type, type_of(at, 0), at.node));
    const std::string index = out_.expanded(in(at, 1), type_of(at, 1), at.type);
    give(at, out_.node("GatherElements", {x, index}, {{"axis", graph::axis_of(at.node)}}));
    return true;
}

bool OnnxTranslator::put(const At& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    Type one = at.type;
    one.dims[place_from_end(at.node, one)] = 1;
    Type by = type_of(at, 1);
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < at.type.sizes().size(); ++i) {
        made.push_back(-1 - static_cast<std::int64_t>(i));
        by.dims.push_back(1);
    }
    const std::string index = out_.node("Unsqueeze", {in(at, 1), out_.ints(made)});
    Type row = type_of(at, 2);
    std::string from = in(at, 2);
    if (!row.dims.empty()) {
        from = out_.node("Unsqueeze", {from, out_.ints({axis})});
        row.dims.insert(row.dims.end() + axis + 1, 1);
    }
    give(at, out_.node("ScatterElements",
                       {out_.expanded(in(at, 0), type_of(at, 0), at.type), out_.expanded(index, by, one),
                        out_.expanded(from, row, one)},
                       {{"axis", axis}}));
    return true;
}

bool OnnxTranslator::take(const At& at) {
    if (type_of(at, 0).symbol_count() > 0) {
        return false;
    }
    give(at, out_.node("Gather", {real(at, 0), in(at, 1)}, {{"axis", std::int64_t{0}}}));
    return true;
}

bool OnnxTranslator::spread(const At& at) {
    give(at, out_.expanded(in(at, 0), type_of(at, 0), at.type));
    return true;
}

bool OnnxTranslator::stack(const At& at) {
    const auto made = std::ranges::find_if(at.type.dims, [&](Dim dim) {
        return dim < 0 &&
               std::ranges::none_of(at.node.inputs, [&](graph::ValueId value) { return graph_.type(value).has(dim); });
    });
    const auto place = static_cast<std::int64_t>(made - at.type.dims.begin());
    Type each = at.type;
    each.dims.erase(each.dims.begin() + place);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const std::string part = out_.converted(operand(at.node.inputs[i]), at.type.kind);
        parts.push_back(out_.node("Unsqueeze", {out_.expanded(part, type_of(at, i), each), out_.ints({place})}));
    }
    give(at, out_.node("Concat", std::move(parts), {{"axis", place}}));
    return true;
}

bool OnnxTranslator::pick(const At& at) {
    const std::size_t along = place_of_lacked(type_of(at, 0), at.type);
    const std::string index = out_.whole(graph::int_attribute(at.node, "index"));
    give(at, out_.node("Gather", {in(at, 0), index}, {{"axis", static_cast<std::int64_t>(along)}}));
    return true;
}

bool OnnxTranslator::reorder(const At& at) {
    const OpId op = at.node.op->id;
    const Type& from = type_of(at, 0);
    const std::size_t rank = from.dims.size();
    if (op == OpId::kPermute_1) {
        std::vector<std::int64_t> order(from.symbol_count());
        std::iota(order.begin(), order.end(), 0);
        for (const std::int64_t each : graph::ints_attribute(at.node, "order")) {
            order.push_back(static_cast<std::int64_t>(rank) + each);
        }
        give(at, out_.permuted(in(at, 0), std::move(order)));
        return true;
    }
    const bool leaves = op == OpId::kCollect_1 || op == OpId::kUngroup_1;  // a leading dimension becomes a size
    const std::size_t leading = op == OpId::kTranspose_1 ? rank - 2
                                : leaves                 ? place_of_lacked(from, at.type)
                                                         : place_of_lacked(at.type, from);
    const std::size_t size = op == OpId::kGroup_1     ? place_from_end(at.node, from)
                             : op == OpId::kUngroup_1 ? place_from_end(at.node, at.type)
                                                      : rank - 1;
    give(at, out_.moved(in(at, 0), rank, leaves ? leading : size, leaves ? size : leading));
    return true;
}

bool OnnxTranslator::concat(const At& at) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const std::string part = out_.converted(operand(at.node.inputs[i]), at.type.kind);
        parts.push_back(out_.expanded(part, type_of(at, i), with_size_of(at.type, type_of(at, i), at.node)));
    }
    give(at, out_.node("Concat", std::move(parts), {{"axis", graph::axis_of(at.node)}}));
    return true;
}

bool OnnxTranslator::slice(const At& at) {
    const std::int64_t start = graph::int_attribute(at.node, "start");
    const std::int64_t end = start + graph::int_attribute(at.node, "length");
    give(at,
         out_.node("Slice", {in(at, 0), out_.ints({start}), out_.ints({end}), out_.ints({graph::axis_of(at.node)})}));
    return true;
}

bool OnnxTranslator::squeeze(const At& at) {
    const std::string axis = out_.ints({graph::axis_of(at.node)});
    give(at, out_.node(at.node.is(OpId::kSqueeze_1) ? "Squeeze" : "Unsqueeze", {in(at, 0), axis}));
    return true;
}

// A 0 in the shape keeps a dimension.
bool OnnxTranslator::reshape(const At& at) {
    std::vector<std::int64_t> shape(at.type.symbol_count(), 0);
    shape.insert(shape.end(), at.type.sizes().begin(), at.type.sizes().end());
    give(at, out_.node("Reshape", {in(at, 0), out_.ints(std::move(shape))}));
    return true;
}

}  // namespace tenon
