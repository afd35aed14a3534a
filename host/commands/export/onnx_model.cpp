// SPDX-License-Identifier: Apache-2.0
// The numbers of fields are those of onnx.proto3 (https://github.com/onnx/onnx, ONNX 1.12, IR version 8).
#include "commands/export/onnx_model.hpp"

#include "commands/export/protobuf.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kAttributeInt = 2;
constexpr std::int64_t kAttributeInts = 7;

ProtobufMessage attribute_message(const OnnxAttribute& attribute) {
    ProtobufMessage out;
    out.bytes(1, attribute.name);
    if (const auto* one = std::get_if<std::int64_t>(&attribute.value)) {
        return out.number(3, *one).number(20, kAttributeInt);
    }
    for (const std::int64_t each : std::get<std::vector<std::int64_t>>(attribute.value)) {
        out.number(8, each);
    }
    return out.number(20, kAttributeInts);
}

ProtobufMessage node_message(const OnnxNode& node, std::size_t number) {
    ProtobufMessage out;
    for (const std::string& input : node.inputs) {
        out.bytes(1, input);
    }
    for (const std::string& output : node.outputs) {
        out.bytes(2, output);
    }
    out.bytes(3, node.op + "_" + std::to_string(number)).bytes(4, node.op);
    for (const OnnxAttribute& attribute : node.attributes) {
        out.message(5, attribute_message(attribute));
    }
    return out;
}

ProtobufMessage tensor_message(const OnnxTensor& tensor) {
    ProtobufMessage out;
    for (const std::int64_t dim : tensor.dims) {
        out.number(1, dim);
    }
    return out.number(2, onnx_type(tensor.dtype)).bytes(8, tensor.name).bytes(9, tensor.bytes);
}

ProtobufMessage value_message(const OnnxValue& value) {
    ProtobufMessage shape;
    for (const OnnxDim& dim : value.dims) {
        ProtobufMessage one;
        if (const auto* size = std::get_if<std::int64_t>(&dim)) {
            one.number(1, *size);
        } else {
            one.bytes(2, std::get<std::string>(dim));
        }
        shape.message(1, one);
    }
    const ProtobufMessage tensor = ProtobufMessage().number(1, onnx_type(value.dtype)).message(2, shape);
    return ProtobufMessage().bytes(1, value.name).message(2, ProtobufMessage().message(1, tensor));
}

}  // namespace

std::int64_t onnx_type(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return 1;
        case DType::kU8:
            return 2;
        case DType::kI32:
            return 6;
        case DType::kI64:
            return 7;
        case DType::kBool:
            return 9;
        case DType::kF64:
            return 11;
    }
    return 0;
}

std::string onnx_bytes(const OnnxModel& model) {
    ProtobufMessage graph;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        graph.message(1, node_message(model.nodes[i], i));
    }
    graph.bytes(2, model.name);
    for (const OnnxTensor& tensor : model.initialisers) {
        graph.message(5, tensor_message(tensor));
    }
    for (const OnnxValue& input : model.inputs) {
        graph.message(11, value_message(input));
    }
    for (const OnnxValue& output : model.outputs) {
        graph.message(12, value_message(output));
    }
    ProtobufMessage out;
    out.number(1, kIrVersion).bytes(2, "tenon").message(7, graph);
    out.message(8, ProtobufMessage().bytes(1, "").number(2, kOnnxOpset));
    for (const auto& [key, value] : model.metadata) {
        out.message(14, ProtobufMessage().bytes(1, key).bytes(2, value));
    }
    return out.text();
}

}  // namespace tenon
