// SPDX-License-Identifier: Apache-2.0
// Translates the nodes of a graph to nodes of ONNX. Dimensions keep their order: leading ones first, then sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "commands/export/acting_policy.hpp"
#include "commands/export/onnx_graph.hpp"
#include "compute/exec/call.hpp"
#include "engines/compiled/exported_program.hpp"

namespace tenon {

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

    [[nodiscard]] OnnxOperand operand(graph::ValueId value) const { return {names_[value], graph_.type(value)}; }
    [[nodiscard]] OnnxGraph& out() { return out_; }

private:
    struct At {
        const graph::Node& node;
        const graph::Type& type;  // of the result
    };
    using Form = bool (OnnxTranslator::*)(const At& at);
    static Form form_of(graph::OpId op);

    // Each returns false if this use of the operation has no form.
    bool column(const At& at);                                                           // onnx_translator.cpp
    static OnnxValue input_of(const std::string& key, DType dtype, const Shape& shape);  // onnx_steps.cpp
    void add_input(OnnxValue input);
    std::string steps(const InputChain& chain);
    std::string stack(const ColumnStep& step, const std::string& x, const std::string& memory);
    bool number(const At& at);
    bool parameter(const At& at);
    bool same(const At& at);
    bool elementwise(const At& at);  // onnx_elements.cpp
    bool cast(const At& at);
    bool one_hot(const At& at);
    bool reduce(const At& at);  // onnx_reductions.cpp
    bool members(const At& at);
    bool softmax(const At& at);
    bool argsort(const At& at);
    bool cumsum(const At& at);
    bool gather(const At& at);  // onnx_structure.cpp
    bool take_along(const At& at);
    bool put(const At& at);
    bool take(const At& at);
    bool spread(const At& at);
    bool stack(const At& at);
    bool pick(const At& at);
    bool reorder(const At& at);
    bool concat(const At& at);
    bool slice(const At& at);
    bool squeeze(const At& at);
    bool reshape(const At& at);
    bool linear(const At& at);  // onnx_layers.cpp
    bool image(const At& at);

    [[nodiscard]] const graph::Type& type_of(const At& at, std::size_t input) const {
        return graph_.type(at.node.inputs[input]);
    }
    [[nodiscard]] const std::string& in(const At& at, std::size_t input) const { return names_[at.node.inputs[input]]; }
    [[nodiscard]] std::string real(const At& at, std::size_t input) {
        return out_.converted(operand(at.node.inputs[input]), graph::Kind::kReal);
    }
    void give(const At& at, std::string name) { names_[at.node.first_output] = std::move(name); }

    const BuiltProgram& program_;
    const graph::Graph graph_;
    std::span<const InputChain> chains_;
    const Learner& learner_;
    RunNumbers numbers_;
    OnnxGraph out_;
    std::vector<std::string> names_;  // by value
};

}  // namespace tenon
