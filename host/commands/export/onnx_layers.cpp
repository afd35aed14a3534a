// SPDX-License-Identifier: Apache-2.0
// Layers: linear ones and those of images.
#include <algorithm>
#include <utility>

#include "commands/export/onnx_translator.hpp"

namespace tenon {

using graph::Kind;
using graph::OpId;
using graph::Type;

bool OnnxTranslator::linear(const At& at) {
    const bool biased = at.node.inputs.size() > 2;
    const Type& weight = type_of(at, 1);
    const std::string x = real(at, 0);
    if (weight.symbol_count() == 0 && type_of(at, 0).dims.size() == 2 && at.type.dims.size() == 2 &&
        (!biased || type_of(at, 2).dims.size() == 1)) {
        std::vector<std::string> inputs{x, real(at, 1)};
        if (biased) {
            inputs.push_back(real(at, 2));
        }
        give(at, out_.node("Gemm", std::move(inputs), {{"transB", std::int64_t{1}}}));
        return true;
    }
    const std::size_t rank = weight.dims.size();
    const std::string right = out_.moved(real(at, 1), rank, rank - 1, rank - 2);  // [.., in, out]
    std::string out;
    if (weight.symbol_count() == 0) {
        out = out_.node("MatMul", {x, right});
    } else {  // each row is a matrix of one row, so that dimensions of the weight can stand anywhere before it
        Type rows = at.type;
        rows.dims.back() = type_of(at, 0).dims.back();
        Type sides = at.type;
        sides.dims.back() = weight.dims.back();
        sides.dims.push_back(weight.dims[rank - 2]);
        Type turned = weight;
        std::swap(turned.dims[rank - 1], turned.dims[rank - 2]);
        const std::string row = out_.ints({-2});
        const std::string left = out_.node("Unsqueeze", {out_.aligned(x, type_of(at, 0), rows), row});
        out = out_.node("Squeeze", {out_.node("MatMul", {left, out_.aligned(right, turned, sides)}), row});
    }
    give(at, biased ? out_.node("Add", {out, out_.aligned(real(at, 2), type_of(at, 2), at.type)}) : out);
    return true;
}

// ONNX wants images with one leading dimension.
bool OnnxTranslator::image(const At& at) {
    const OpId op = at.node.op->id;
    for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
        if (type_of(at, i).symbol_count() > 0) {
            return false;  // members
        }
    }
    const Type& type = type_of(at, 0);
    const bool as_is = type.dims.size() == 4;
    std::string x = real(at, 0);
    if (!as_is) {
        std::vector<std::int64_t> shape{-1};
        shape.insert(shape.end(), type.dims.end() - 3, type.dims.end());
        x = out_.node("Reshape", {x, out_.ints(std::move(shape))});
    }
    const std::int64_t stride = graph::int_attribute(at.node, "stride");
    const std::int64_t padding = graph::int_attribute(at.node, "padding");
    std::vector<OnnxAttribute> attributes{{"strides", std::vector(2, stride)}, {"pads", std::vector(4, padding)}};
    std::vector<std::string> inputs{x};
    for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
        inputs.push_back(real(at, i));
    }
    if (op == OpId::kMaxPool2d_1) {
        attributes.push_back({"kernel_shape", std::vector(2, graph::int_attribute(at.node, "kernel"))});
    } else {
        const std::vector<graph::Dim>& filter = type_of(at, 1).dims;
        attributes.push_back({"kernel_shape", std::vector<std::int64_t>(filter.end() - 2, filter.end())});
    }
    const std::string name = op == OpId::kMaxPool2d_1 ? "MaxPool" : op == OpId::kConv2d_1 ? "Conv" : "ConvTranspose";
    std::string out = out_.node(name, std::move(inputs), std::move(attributes));
    if (!as_is) {
        std::vector<std::int64_t> shape = out_.sizes_of(at.type);
        std::ranges::replace(shape, 0, -1);  // the rows
        out = out_.node("Reshape", {out, out_.ints(std::move(shape))});
    }
    give(at, out);
    return true;
}

}  // namespace tenon
