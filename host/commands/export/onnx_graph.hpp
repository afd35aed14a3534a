// SPDX-License-Identifier: Apache-2.0
// The pieces that translated operations share: nodes, constants, and values with the dimensions of a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/export/onnx_model.hpp"
#include "compute/graph/graph.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// A value of the model with the type that it has in the run's graph. Its shape is exactly that of the type.
struct OnnxOperand {
    std::string name;
    graph::Type type;
};

class OnnxGraph {
public:
    OnnxGraph(const graph::Graph& graph, const Learner& learner) : graph_(graph), learner_(learner) {}

    [[nodiscard]] DType real() const { return learner_.real; }
    [[nodiscard]] DType dtype_of(graph::Kind kind) const;
    // 0 for the rows of a call, whose number the caller of the model chooses.
    [[nodiscard]] std::int64_t size_of(graph::Dim dim) const;
    [[nodiscard]] std::vector<std::int64_t> sizes_of(const graph::Type& type) const;

    // Adds a node with one result, and returns the result's name.
    std::string node(std::string op, std::vector<std::string> inputs, std::vector<OnnxAttribute> attributes = {});
    std::string add(OnnxNode node);  // the same with results that it names itself; returns the first one
    std::string fresh() { return "v" + std::to_string(names_++); }  // a name for a result

    std::string ints(std::vector<std::int64_t> values);
    std::string whole(std::int64_t value);
    std::string number(double value);
    void tensor(OnnxTensor tensor) { model.initialisers.push_back(std::move(tensor)); }

    std::string cast(const std::string& name, DType to);
    std::string converted(const OnnxOperand& value, graph::Kind to);

    // The value with dimensions of size 1 inserted, so that it broadcasts to the other type.
    std::string aligned(const std::string& name, const graph::Type& from, const graph::Type& to);
    // The value with all dimensions of the other type.
    std::string expanded(const std::string& name, const graph::Type& from, const graph::Type& to);
    std::string permuted(const std::string& name, std::vector<std::int64_t> order);
    std::string moved(const std::string& name, std::size_t rank, std::size_t from, std::size_t to);

    OnnxModel model;

private:
    std::string constant(DType dtype, std::vector<std::int64_t> dims, std::string bytes);
    std::string row_count();

    const graph::Graph& graph_;
    const Learner& learner_;
    std::size_t names_ = 0;
    std::string rows_;  // the tensor with the number of rows; empty until it is needed
};

}  // namespace tenon
