// SPDX-License-Identifier: Apache-2.0
// Reductions, sorting and sums along a size.
#include <algorithm>
#include <utility>

#include "commands/export/onnx_translator.hpp"

namespace tenon {

using graph::OpId;

bool OnnxTranslator::reduce(const At& at) {
    const OpId op = at.node.op->id;
    const std::int64_t axis = graph::axis_of(at.node);
    const OnnxAttribute drop{"keepdims", std::int64_t{0}};
    const OnnxAttribute along{"axes", std::vector{axis}};
    const std::string x = real(at, 0);
    if (op == OpId::kArgmax_1) {
        give(at, out_.node("ArgMax", {x}, {{"axis", axis}, drop}));
    } else if (op == OpId::kSum_1) {
        give(at, out_.node("ReduceSum", {x, out_.ints({axis})}, {drop}));
    } else {
        const std::string name = op == OpId::kMean_1  ? "ReduceMean"
                                 : op == OpId::kMax_1 ? "ReduceMax"
                                 : op == OpId::kMin_1 ? "ReduceMin"
                                                      : "ReduceLogSumExp";
        give(at, out_.node(name, {x}, {along, drop}));
    }
    return true;
}

bool OnnxTranslator::members(const At& at) {
    const OpId op = at.node.op->id;
    const auto& dims = type_of(at, 0).dims;
    const auto gone = std::ranges::find_if(dims, [&](graph::Dim dim) { return dim < 0 && !at.type.has(dim); });
    const std::int64_t axis = gone - dims.begin();
    const OnnxAttribute drop{"keepdims", std::int64_t{0}};
    const std::string x = real(at, 0);
    if (op == OpId::kSumMembers_1) {
        give(at, out_.node("ReduceSum", {x, out_.ints({axis})}, {drop}));
        return true;
    }
    const std::string name = op == OpId::kMinMembers_1   ? "ReduceMin"
                             : op == OpId::kMaxMembers_1 ? "ReduceMax"
                                                         : "ReduceMean";
    give(at, out_.node(name, {x}, {{"axes", std::vector{axis}}, drop}));
    return true;
}

bool OnnxTranslator::softmax(const At& at) {
    const std::string name = at.node.is(OpId::kSoftmax_1) ? "Softmax" : "LogSoftmax";
    give(at, out_.node(name, {real(at, 0)}, {{"axis", std::int64_t{-1}}}));
    return true;
}

bool OnnxTranslator::argsort(const At& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    const std::int64_t size = at.type.dims[at.type.dims.size() + static_cast<std::size_t>(axis)];
    OnnxNode sort{"TopK", {real(at, 0), out_.ints({size})}, {out_.fresh(), out_.fresh()}, {}};
    sort.attributes = {
        {"axis", axis}, {"largest", graph::int_attribute(at.node, "descending")}, {"sorted", std::int64_t{1}}};
    const std::string indices = sort.outputs[1];
    out_.add(std::move(sort));
    give(at, indices);
    return true;
}

bool OnnxTranslator::cumsum(const At& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    give(at,
         out_.node("CumSum", {real(at, 0), out_.whole(axis)}, {{"reverse", graph::int_attribute(at.node, "reverse")}}));
    return true;
}

}  // namespace tenon
