// SPDX-License-Identifier: Apache-2.0
// A model of ONNX as plain data, and its file. Only what exported policies need: nodes with attributes of integers,
// initialisers, inputs and outputs with named or fixed dimensions, metadata.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/data/dtype.hpp"

namespace tenon {

inline constexpr std::int64_t kOnnxOpset = 17;

struct OnnxAttribute {
    std::string name;
    std::variant<std::int64_t, std::vector<std::int64_t>> value;
};

struct OnnxNode {
    std::string op;
    std::vector<std::string> inputs;  // an empty name: none
    std::vector<std::string> outputs;
    std::vector<OnnxAttribute> attributes;
};

struct OnnxTensor {
    std::string name;
    DType dtype = DType::kF32;
    std::vector<std::int64_t> dims;
    std::string bytes;  // little-endian, in the order of rows
};

// A dimension is a size, or a name of one that the caller chooses.
using OnnxDim = std::variant<std::int64_t, std::string>;

struct OnnxValue {
    std::string name;
    DType dtype = DType::kF32;
    std::vector<OnnxDim> dims;
};

struct OnnxModel {
    std::string name;
    std::vector<OnnxNode> nodes;  // each after those that it reads
    std::vector<OnnxTensor> initialisers;
    std::vector<OnnxValue> inputs;
    std::vector<OnnxValue> outputs;
    std::vector<std::pair<std::string, std::string>> metadata;
};

// The number of a dtype in attributes of ONNX.
std::int64_t onnx_type(DType dtype);

std::string onnx_bytes(const OnnxModel& model);

}  // namespace tenon
