// SPDX-License-Identifier: Apache-2.0
// Translates the nodes of a graph to nodes of ONNX. Dimensions keep their order: leading ones first, then sizes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "commands/export/acting_policy.hpp"
#include "commands/export/onnx_graph.hpp"
#include "compute/exec/call.hpp"
#include "engines/compiled/exported_program.hpp"

namespace tenon {

class OnnxTranslator;

// A node that is being translated.
struct OnnxAt {
    OnnxTranslator& translator;
    const graph::Node& node;
    const graph::Type& type;  // of the result
    OnnxGraph& out;

    [[nodiscard]] OnnxOperand input(std::size_t i) const;
    [[nodiscard]] const std::string& in(std::size_t i) const;  // the name of the input
    [[nodiscard]] const graph::Type& type_of(std::size_t i) const;
    [[nodiscard]] std::string real(std::size_t i) const { return out.converted(input(i), graph::Kind::kReal); }
};

// Gives the name of the result, or "" if this use of the operation has no form.
using OnnxForm = std::string (*)(const OnnxAt& at);

// The form of an operation, or null.
OnnxForm onnx_element_form(graph::OpId op);    // onnx_elements.cpp
OnnxForm onnx_reduction_form(graph::OpId op);  // onnx_reductions.cpp
OnnxForm onnx_structure_form(graph::OpId op);  // onnx_structure.cpp
OnnxForm onnx_layer_form(graph::OpId op);      // onnx_layers.cpp

class OnnxTranslator {
public:
    // `chains`: of columns that transforms change before the program reads them.
    OnnxTranslator(const BuiltProgram& program, std::span<const InputChain> chains, const Learner& learner,
                   const RunNumbers& numbers)
        : program_(program),
          graph_(compiled::exported_graph(program.graph)),
          chains_(chains),
          learner_(learner),
          numbers_(numbers),
          out_(graph_, learner_),
          names_(graph_.values.size()) {}

    // The model already has the value under that name, so its node is not translated.
    void know(graph::ValueId value, std::string name) { names_[value] = std::move(name); }

    // Translates the nodes of these values, and all that they depend on. The problem names an operation that has no
    // form.
    Status add(std::span<const graph::ValueId> wanted);

    [[nodiscard]] const std::string& name(graph::ValueId value) const { return names_[value]; }
    [[nodiscard]] const graph::Type& type(graph::ValueId value) const { return graph_.type(value); }
    [[nodiscard]] OnnxOperand operand(graph::ValueId value) const { return {name(value), type(value)}; }
    [[nodiscard]] OnnxGraph& out() { return out_; }

private:
    std::string translated(const OnnxAt& at);
    std::string column(const OnnxAt& at);
    std::string number(const OnnxAt& at);
    std::string parameter(const OnnxAt& at);
    // What transforms do to a column before the program reads it (onnx_steps.cpp).
    static OnnxValue input_of(const std::string& key, DType dtype, const Shape& shape);
    void add_input(OnnxValue input);
    std::string steps(const InputChain& chain);
    std::string stack(const ColumnStep& step, const std::string& x, const std::string& memory);

    const BuiltProgram& program_;
    const graph::Graph graph_;
    std::span<const InputChain> chains_;
    const Learner& learner_;
    RunNumbers numbers_;
    OnnxGraph out_;
    std::vector<std::string> names_;  // by value
};

inline OnnxOperand OnnxAt::input(std::size_t i) const {
    return translator.operand(node.inputs[i]);
}
inline const std::string& OnnxAt::in(std::size_t i) const {
    return translator.name(node.inputs[i]);
}
inline const graph::Type& OnnxAt::type_of(std::size_t i) const {
    return translator.type(node.inputs[i]);
}

}  // namespace tenon
