// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_steps.hpp"

#include <vector>

#include "commands/export/c_texts.hpp"

namespace tenon {
namespace {

std::string double_text(double value) {
    return c_number(&value, compiled::Kind::kReal, DType::kF64);
}

std::string double_array(const std::string& name, const std::vector<double>& values) {
    std::string out = "static const double " + name + "[" + std::to_string(values.size()) + "] = {";
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += (i == 0 ? "" : ",") + std::string(i % 4 == 0 ? "\n    " : " ") + double_text(values[i]);
    }
    return out + "};\n";
}

std::string scale_statements(const ColumnStep& step, const std::string& from, const std::string& to,
                             const std::string& numbers) {
    return "for (i = 0; i < " + std::to_string(step.from.shape.elements()) +
           "; ++i) {\n    const double y = ((double)" + from + "[i] - " + numbers + "_offset[i]) / " + numbers +
           "_scale[i];\n    " + to + "[i] = (" + std::string(c_type(step.to.dtype)) + ")(y < " + double_text(step.low) +
           " ? " + double_text(step.low) + " : (y > " + double_text(step.high) + " ? " + double_text(step.high) +
           " : y));\n}\n";
}

std::string stack_statements(const ColumnStep& step, const std::string& from, const std::string& to) {
    const std::int64_t piece = step.from.shape.elements() / step.pieces;
    const std::int64_t all = piece * step.frames;
    const std::string here = to + " + i * " + std::to_string(all);
    const std::string size = " * sizeof(" + std::string(c_type(step.to.dtype)) + ")";
    const std::string times = step.repeats ? "state->first ? " + std::to_string(step.frames) + " : 1" : "1";
    return "for (i = 0; i < " + std::to_string(step.pieces) + "; ++i)\n    for (z = " + times +
           "; z > 0; --z) {\n        memmove(" + here + ", " + here + " + " + std::to_string(piece) + ", " +
           std::to_string(all - piece) + size + ");\n        memcpy(" + here + " + " + std::to_string(all - piece) +
           ", " + from + " + i * " + std::to_string(piece) + ", " + std::to_string(piece) + size + ");\n    }\n";
}

}  // namespace

CSteps c_steps(const InputChain& chain, const std::string& name) {
    const std::string column = c_name(chain.key);
    CSteps out{.data = {}, .members = {}, .code = {}, .result = column};
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
        const ColumnStep& step = chain.steps[i];
        const std::string member = column + "_after" + std::to_string(i);
        const std::string numbers = name + "_" + member;
        const std::string to = "state->" + member;
        out.members += "    " + std::string(c_type(step.to.dtype)) + " " + member + "[" +
                       std::to_string(step.to.shape.elements()) + "];\n";
        out.code += "/* " + step.transform + " */\n";
        if (step.kind == ColumnStep::Kind::kScale) {
            out.data += double_array(numbers + "_offset", step.offset) + double_array(numbers + "_scale", step.scale);
            out.code += scale_statements(step, out.result, to, numbers);
        } else {
            out.code += stack_statements(step, out.result, to);
        }
        out.result = to;
    }
    return out;
}

}  // namespace tenon
