// SPDX-License-Identifier: Apache-2.0
// The examples of the op table as models of ONNX, which onnx_values.py computes.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "commands/export/onnx_translator.hpp"
#include "examples.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace onnx_ops_test {

namespace {

using namespace tenon;
using namespace tenon::test;

// A policy's rows have one symbol.
bool has_form_as_policy(const Example& example) {
    std::set<char> rows;
    for (const ExampleTensor& tensor : example.inputs) {
        for (const char letter : tensor.dims) {
            if (letter == 'B' || letter == 'T' || letter == 'L') {
                rows.insert(letter);
            }
        }
    }
    return rows.size() < 2;
}

// The op as a model from inputs x0, x1, ... to the output y; nothing if it has no form. The first input has the rows.
std::optional<OnnxModel> model_of(const Example& example, DType real) {
    ExampleProgram example_program(example, real);
    const BuiltProgram program{.name = "example", .graph = example_program.sketch.graph, .inputs = {}, .outputs = {}};
    OnnxTranslator translator(program, {}, example_program.learner, {});
    OnnxGraph& out = translator.out();
    out.model.inputs.push_back({"rows", DType::kF32, {"batch"}});
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const std::string name = "x" + std::to_string(i);
        const ExampleTensor& tensor = example.inputs[i];
        translator.know(example_program.inputs[i], name);
        out.model.inputs.push_back({name, out.dtype_of(tensor.kind), {tensor.shape.begin(), tensor.shape.end()}});
    }
    if (!translator.add({&example_program.out, 1})) {
        return std::nullopt;
    }
    const OnnxOperand y = translator.operand(example_program.out);
    out.add({"Identity", {y.name}, {"y"}, {}});
    out.model.outputs.push_back({"y", out.dtype_of(y.type.kind), {example.out.shape.begin(), example.out.shape.end()}});
    out.model.name = example.op;
    return std::move(out.model);
}

}  // namespace

// In the folder TENON_ONNX_MODELS, if that is set: NUMBER.f32.onnx and NUMBER.f64.onnx, by the order of the table.
TEST_CASE("the examples of ops have models") {
    const ScratchFolder scratch;
    const char* wanted = std::getenv("TENON_ONNX_MODELS");
    const std::filesystem::path folder = wanted != nullptr ? wanted : scratch.path();
    std::size_t written = 0;
    for (std::size_t i = 0; i < examples().size(); ++i) {
        for (const DType real : {DType::kF32, DType::kF64}) {
            const Example& example = examples()[i];
            CAPTURE(std::string(example.op));
            const auto model = has_form_as_policy(example) ? model_of(example, real) : std::nullopt;
            if (model) {
                const char* kind = real == DType::kF32 ? ".f32.onnx" : ".f64.onnx";
                spill(folder / (std::to_string(i) + kind), onnx_bytes(*model));
                ++written;
            }
        }
    }
    CHECK(written > examples().size());
}

}  // namespace onnx_ops_test
