// SPDX-License-Identifier: Apache-2.0
// What transforms do to a column before the policy reads it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/data/key.hpp"
#include "commands/export/onnx_translator.hpp"

namespace tenon {
namespace {

std::vector<std::int64_t> with_rows(const Shape& shape) {
    std::vector<std::int64_t> out{0};  // the number of rows stays
    out.insert(out.end(), shape.extents().begin(), shape.extents().end());
    return out;
}

std::string double_tensor(OnnxGraph& out, const std::string& name, const Shape& shape,
                          const std::vector<double>& values) {
    std::string bytes(values.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    out.tensor({name, DType::kF64, {shape.extents().begin(), shape.extents().end()}, std::move(bytes)});
    return name;
}

// In double, as the transform does it.
std::string scale_nodes(OnnxGraph& out, const ColumnStep& step, const std::string& x, const std::string& name) {
    const std::string wide = step.from.dtype == DType::kF64 ? x : out.cast(x, DType::kF64);
    const std::string less =
        out.node("Sub", {wide, double_tensor(out, name + "/offset", step.from.shape, step.offset)});
    std::string y = out.node("Div", {less, double_tensor(out, name + "/scale", step.from.shape, step.scale)});
    if (std::isfinite(step.low)) {
        y = out.node("Max", {y, double_tensor(out, name + "/low", {}, {step.low})});
    }
    if (std::isfinite(step.high)) {
        y = out.node("Min", {y, double_tensor(out, name + "/high", {}, {step.high})});
    }
    return step.to.dtype == DType::kF64 ? y : out.cast(y, step.to.dtype);
}

}  // namespace

OnnxValue OnnxTranslator::input_of(const std::string& key, DType dtype, const Shape& shape) {
    OnnxValue out{.name = key, .dtype = dtype, .dims = {"batch"}};
    for (const std::int64_t extent : shape.extents()) {
        out.dims.emplace_back(extent);
    }
    return out;
}

void OnnxTranslator::add_input(OnnxValue input) {
    auto& inputs = out_.model.inputs;
    if (std::ranges::find(inputs, input.name, &OnnxValue::name) == inputs.end()) {
        inputs.push_back(std::move(input));
    }
}

// Earlier rows are an input, and all rows with the present one are an output.
std::string OnnxTranslator::stack(const ColumnStep& step, const std::string& x, const std::string& memory) {
    const std::int64_t piece = step.from.shape.elements() / step.pieces;
    OnnxValue rows = input_of(memory, step.to.dtype, step.to.shape);
    add_input(rows);
    add_input(input_of("is_init", DType::kBool, {}));
    const std::string now = out_.node("Reshape", {x, out_.ints({0, step.pieces, piece})});
    const std::string before = out_.node("Reshape", {memory, out_.ints({0, step.pieces, piece * step.frames})});
    const std::string kept =
        out_.node("Slice", {before, out_.ints({piece}), out_.ints({piece * step.frames}), out_.ints({2})});
    const std::string begins = out_.node("Unsqueeze", {"is_init", out_.ints({1, 2})});
    const OnnxAttribute axis{"axis", std::int64_t{2}};
    const std::string first =
        step.repeats ? out_.node("Concat", std::vector(static_cast<std::size_t>(step.frames - 1), now), {axis})
                     : out_.cast(out_.whole(0), step.to.dtype);
    const std::string all = out_.node("Concat", {out_.node("Where", {begins, first, kept}), now}, {axis});
    rows.name = next_key(memory);
    const std::string out = out_.add({"Reshape", {all, out_.ints(with_rows(step.to.shape))}, {rows.name}, {}});
    out_.model.metadata.emplace_back("memory." + memory, rows.name);
    out_.model.outputs.push_back(std::move(rows));
    return out;
}

std::string OnnxTranslator::steps(const InputChain& chain) {
    std::string x = chain.key;
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
        const ColumnStep& step = chain.steps[i];
        const std::string name = chain.key + ".after" + std::to_string(i);
        x = step.kind == ColumnStep::Kind::kScale ? scale_nodes(out_, step, x, name) : stack(step, x, name);
    }
    return x;
}

}  // namespace tenon
