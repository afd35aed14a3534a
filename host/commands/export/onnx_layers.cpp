// SPDX-License-Identifier: Apache-2.0
// Layers: linear ones and those of images.
#include <algorithm>
#include <utility>

#include "commands/export/onnx_translator.hpp"

namespace tenon {
namespace {

using graph::Kind;
using graph::OpId;
using graph::Type;

std::string linear(const OnnxAt& at) {
    const bool biased = at.node.inputs.size() > 2;
    const Type& weight = at.type_of(1);
    const std::string x = at.real(0);
    if (weight.symbol_count() == 0 && at.type_of(0).dims.size() == 2 && at.type.dims.size() == 2 &&
        (!biased || at.type_of(2).dims.size() == 1)) {
        std::vector<std::string> inputs{x, at.real(1)};
        if (biased) {
            inputs.push_back(at.real(2));
        }
        return at.out.node("Gemm", std::move(inputs), {{"transB", std::int64_t{1}}});
    }
    const std::size_t rank = weight.dims.size();
    const std::string right = at.out.moved(at.real(1), rank, rank - 1, rank - 2);  // [.., in, out]
    std::string out;
    if (weight.symbol_count() == 0) {
        out = at.out.node("MatMul", {x, right});
    } else {  // each row is a matrix of one row, so that dimensions of the weight can stand anywhere before it
        Type rows = at.type;
        rows.dims.back() = at.type_of(0).dims.back();
        Type sides = at.type;
        sides.dims.back() = weight.dims.back();
        sides.dims.push_back(weight.dims[rank - 2]);
        Type turned = weight;
        std::swap(turned.dims[rank - 1], turned.dims[rank - 2]);
        const std::string row = at.out.ints({-2});
        const std::string left = at.out.node("Unsqueeze", {at.out.aligned(x, at.type_of(0), rows), row});
        out = at.out.node("Squeeze", {at.out.node("MatMul", {left, at.out.aligned(right, turned, sides)}), row});
    }
    return biased ? at.out.node("Add", {out, at.out.aligned(at.real(2), at.type_of(2), at.type)}) : out;
}

// ONNX wants images with one leading dimension.
std::string image(const OnnxAt& at) {
    const OpId op = at.node.op->id;
    for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
        if (at.type_of(i).symbol_count() > 0) {
            return "";  // members
        }
    }
    const Type& type = at.type_of(0);
    const bool as_is = type.dims.size() == 4;
    std::string x = at.real(0);
    if (!as_is) {
        std::vector<std::int64_t> shape{-1};
        shape.insert(shape.end(), type.dims.end() - 3, type.dims.end());
        x = at.out.node("Reshape", {x, at.out.ints(std::move(shape))});
    }
    const std::int64_t stride = graph::int_attribute(at.node, "stride");
    const std::int64_t padding = graph::int_attribute(at.node, "padding");
    std::vector<OnnxAttribute> attributes{{"strides", std::vector(2, stride)}, {"pads", std::vector(4, padding)}};
    std::vector<std::string> inputs{x};
    for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
        inputs.push_back(at.real(i));
    }
    if (op == OpId::kMaxPool2d_1) {
        attributes.push_back({"kernel_shape", std::vector(2, graph::int_attribute(at.node, "kernel"))});
    } else {
        const std::vector<graph::Dim>& filter = at.type_of(1).dims;
        attributes.push_back({"kernel_shape", std::vector<std::int64_t>(filter.end() - 2, filter.end())});
    }
    const std::string name = op == OpId::kMaxPool2d_1 ? "MaxPool" : op == OpId::kConv2d_1 ? "Conv" : "ConvTranspose";
    std::string out = at.out.node(name, std::move(inputs), std::move(attributes));
    if (!as_is) {
        std::vector<std::int64_t> shape = at.out.sizes_of(at.type);
        std::ranges::replace(shape, 0, -1);  // the rows
        out = at.out.node("Reshape", {out, at.out.ints(std::move(shape))});
    }
    return out;
}

}  // namespace

OnnxForm onnx_layer_form(OpId op) {
    static constexpr graph::ByOp<OnnxForm> kForms{{OpId::kLinear_1, linear},
                                                  {OpId::kConv2d_1, image},
                                                  {OpId::kConvTranspose2d_1, image},
                                                  {OpId::kMaxPool2d_1, image}};
    return kForms[op];
}

}  // namespace tenon
