// SPDX-License-Identifier: Apache-2.0
// Reductions, sorting and sums along a size.
#include <algorithm>
#include <utility>

#include "commands/export/onnx_translator.hpp"

namespace tenon {
namespace {

using graph::OpId;

std::string reduce(const OnnxAt& at) {
    const OpId op = at.node.op->id;
    const std::int64_t axis = graph::axis_of(at.node);
    const OnnxAttribute drop{"keepdims", std::int64_t{0}};
    const OnnxAttribute along{"axes", std::vector{axis}};
    const std::string x = at.real(0);
    if (op == OpId::kArgmax_1) {
        return at.out.node("ArgMax", {x}, {{"axis", axis}, drop});
    }
    if (op == OpId::kSum_1) {
        return at.out.node("ReduceSum", {x, at.out.ints({axis})}, {drop});
    }
    const std::string name = op == OpId::kMean_1  ? "ReduceMean"
                             : op == OpId::kMax_1 ? "ReduceMax"
                             : op == OpId::kMin_1 ? "ReduceMin"
                                                  : "ReduceLogSumExp";
    return at.out.node(name, {x}, {along, drop});
}

std::string members(const OnnxAt& at) {
    const OpId op = at.node.op->id;
    const auto& dims = at.type_of(0).dims;
    const auto gone = std::ranges::find_if(dims, [&](graph::Dim dim) { return dim < 0 && !at.type.has(dim); });
    const std::int64_t axis = gone - dims.begin();
    const OnnxAttribute drop{"keepdims", std::int64_t{0}};
    const std::string x = at.real(0);
    if (op == OpId::kSumMembers_1) {
        return at.out.node("ReduceSum", {x, at.out.ints({axis})}, {drop});
    }
    const std::string name = op == OpId::kMinMembers_1   ? "ReduceMin"
                             : op == OpId::kMaxMembers_1 ? "ReduceMax"
                                                         : "ReduceMean";
    return at.out.node(name, {x}, {{"axes", std::vector{axis}}, drop});
}

std::string softmax(const OnnxAt& at) {
    const std::string name = at.node.is(OpId::kSoftmax_1) ? "Softmax" : "LogSoftmax";
    return at.out.node(name, {at.real(0)}, {{"axis", std::int64_t{-1}}});
}

std::string argsort(const OnnxAt& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    const std::int64_t size = at.type.dims[at.type.dims.size() + static_cast<std::size_t>(axis)];
    OnnxNode sort{"TopK", {at.real(0), at.out.ints({size})}, {at.out.fresh(), at.out.fresh()}, {}};
    sort.attributes = {
        {"axis", axis}, {"largest", graph::int_attribute(at.node, "descending")}, {"sorted", std::int64_t{1}}};
    const std::string indices = sort.outputs[1];
    at.out.add(std::move(sort));
    return indices;
}

std::string cumsum(const OnnxAt& at) {
    const std::int64_t axis = graph::axis_of(at.node);
    return at.out.node("CumSum", {at.real(0), at.out.whole(axis)},
                       {{"reverse", graph::int_attribute(at.node, "reverse")}});
}

}  // namespace

OnnxForm onnx_reduction_form(OpId op) {
    static constexpr graph::ByOp<OnnxForm> kForms{
        {OpId::kSum_1, reduce},         {OpId::kMean_1, reduce},         {OpId::kMax_1, reduce},
        {OpId::kMin_1, reduce},         {OpId::kLogsumexp_1, reduce},    {OpId::kArgmax_1, reduce},
        {OpId::kSoftmax_1, softmax},    {OpId::kLogSoftmax_1, softmax},  {OpId::kMinMembers_1, members},
        {OpId::kMaxMembers_1, members}, {OpId::kMeanMembers_1, members}, {OpId::kSumMembers_1, members},
        {OpId::kArgsort_1, argsort},    {OpId::kCumsum_1, cumsum}};
    return kForms[op];
}

}  // namespace tenon
