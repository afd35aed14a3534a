// SPDX-License-Identifier: Apache-2.0
#include "commands/export/onnx_translator.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {
namespace {

using graph::Kind;
using graph::OpId;

// Operations that ONNX has as well.
constexpr graph::ByOp<std::string_view> kSameNames{
    {OpId::kAdd_1, "Add"},           {OpId::kSub_1, "Sub"},     {OpId::kMul_1, "Mul"},
    {OpId::kDiv_1, "Div"},           {OpId::kPow_1, "Pow"},     {OpId::kMinimum_1, "Min"},
    {OpId::kMaximum_1, "Max"},       {OpId::kWhere_1, "Where"}, {OpId::kNeg_1, "Neg"},
    {OpId::kAbs_1, "Abs"},           {OpId::kExp_1, "Exp"},     {OpId::kLog_1, "Log"},
    {OpId::kSqrt_1, "Sqrt"},         {OpId::kTanh_1, "Tanh"},   {OpId::kSigmoid_1, "Sigmoid"},
    {OpId::kSoftplus_1, "Softplus"}, {OpId::kErf_1, "Erf"},     {OpId::kRelu_1, "Relu"},
    {OpId::kFloor_1, "Floor"},       {OpId::kSign_1, "Sign"},   {OpId::kSin_1, "Sin"},
    {OpId::kCos_1, "Cos"},           {OpId::kEq_1, "Equal"},    {OpId::kLt_1, "Less"},
    {OpId::kLe_1, "LessOrEqual"},    {OpId::kGt_1, "Greater"},  {OpId::kGe_1, "GreaterOrEqual"},
    {OpId::kAnd_1, "And"},           {OpId::kOr_1, "Or"},       {OpId::kNot_1, "Not"},
};

constexpr graph::OpSet kCompares{OpId::kEq_1, OpId::kNe_1, OpId::kLt_1, OpId::kLe_1, OpId::kGt_1, OpId::kGe_1};
constexpr graph::OpSet kLogical{OpId::kAnd_1, OpId::kOr_1, OpId::kNot_1};

using Operands = const std::vector<std::string>&;
using Made = std::string (*)(OnnxGraph& out, Operands x);

std::string clamp(OnnxGraph& out, Operands x) {
    return out.node("Min", {out.node("Max", {x[0], x[1]}), x[2]});
}

std::string square(OnnxGraph& out, Operands x) {
    return out.node("Mul", {x[0], x[0]});
}

std::string unequal(OnnxGraph& out, Operands x) {
    return out.node("Not", {out.node("Equal", x)});
}

// log(1 + x) = log(u) * x / (u - 1), where u is the rounded 1 + x.
std::string log1p(OnnxGraph& out, Operands in) {
    const std::string& x = in[0];
    const std::string one = out.number(1);
    const std::string u = out.node("Add", {x, one});
    const std::string scaled = out.node("Mul", {out.node("Log", {u}), out.node("Div", {x, out.node("Sub", {u, one})})});
    const std::string infinite = out.node("Equal", {u, x});  // too large to be changed by adding 1
    const std::string large = out.node("Where", {infinite, out.node("Log", {u}), scaled});
    return out.node("Where", {out.node("Equal", {u, one}), x, large});
}

// exp(x) - 1 = (u - 1) * x / log(u), where u is the rounded exp(x).
std::string expm1(OnnxGraph& out, Operands in) {
    const std::string& x = in[0];
    const std::string one = out.number(1);
    const std::string u = out.node("Exp", {x});
    const std::string less = out.node("Sub", {u, one});
    const std::string scaled = out.node("Mul", {less, out.node("Div", {x, out.node("Log", {u})})});
    const std::string small = out.node("Less", {out.node("Abs", {x}), one});
    return out.node("Where", {out.node("Equal", {u, one}), x, out.node("Where", {small, scaled, less})});
}

// Operations that are composed of others in ONNX.
constexpr graph::ByOp<Made> kMade{{OpId::kClamp_1, clamp},
                                  {OpId::kSquare_1, square},
                                  {OpId::kNe_1, unequal},
                                  {OpId::kLog1p_1, log1p},
                                  {OpId::kExpm1_1, expm1}};

std::string elementwise(const OnnxAt& at) {
    const OpId op = at.node.op->id;
    Kind kind = at.type.kind;
    if (kCompares.has(op)) {
        const bool whole = std::ranges::all_of(
            at.node.inputs, [&](graph::ValueId value) { return at.translator.type(value).kind == Kind::kInt; });
        kind = whole ? Kind::kInt : Kind::kReal;
    }
    std::vector<std::string> from;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const bool logical = kLogical.has(op) || (op == OpId::kWhere_1 && i == 0);
        const std::string converted = at.out.converted(at.input(i), logical ? Kind::kBool : kind);
        from.push_back(at.out.aligned(converted, at.type_of(i), at.type));
    }
    return kMade[op] != nullptr ? kMade[op](at.out, from) : at.out.node(std::string(kSameNames[op]), std::move(from));
}

std::string cast(const OnnxAt& at) {
    return at.out.converted(at.input(0), at.type.kind);
}

std::string one_hot(const OnnxAt& at) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(at.type.dims.back()));
    std::iota(places.begin(), places.end(), 0);
    const std::string index = at.out.node("Unsqueeze", {at.in(0), at.out.ints({-1})});
    return at.out.cast(at.out.node("Equal", {index, at.out.ints(std::move(places))}), at.out.real());
}

}  // namespace

OnnxForm onnx_element_form(OpId op) {
    static constexpr graph::ByOp<OnnxForm> kForms{{OpId::kCast_1, cast}, {OpId::kOneHot_1, one_hot}};
    return kMade[op] != nullptr || !kSameNames[op].empty() ? elementwise : kForms[op];
}

}  // namespace tenon
