// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_texts.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tenon {
namespace {

using compiled::Code;
using compiled::Kind;

// The expression of an operation on reals, integers and bools; empty if it has none.
struct Text {
    Code code;
    std::string_view real;
    std::string_view whole = {};
    std::string_view logical = {};
};

// These are the expressions of core/engines/compiled/kernels/maps.inc, in C. Integers wrap around.
constexpr auto kTexts = std::to_array<Text>({
    {Code::kCopy, "$0", "$0", "$0"},
    {Code::kAdd, "$0 + $1", "(int64_t)((uint64_t)$0 + (uint64_t)$1)"},
    {Code::kSub, "$0 - $1", "(int64_t)((uint64_t)$0 - (uint64_t)$1)"},
    {Code::kMul, "$0 * $1", "(int64_t)((uint64_t)$0 * (uint64_t)$1)"},
    {Code::kDiv, "$0 / $1"},
    {Code::kPow, "POW($0, $1)"},
    {Code::kMinimum, "$0 != $0 ? $0 : ($1 != $1 ? $1 : ($0 < $1 ? $0 : $1))", "$0 < $1 ? $0 : $1"},
    {Code::kMaximum, "$0 != $0 ? $0 : ($1 != $1 ? $1 : ($0 > $1 ? $0 : $1))", "$0 > $1 ? $0 : $1"},
    {Code::kClamp, "clamp_of($0, $1, $2)", "$0 < $1 ? ($1 > $2 ? $2 : $1) : ($0 > $2 ? $2 : $0)"},
    {Code::kNeg, "-$0", "(int64_t)(0 - (uint64_t)$0)"},
    {Code::kAbs, "$0 < 0 ? -$0 : ($0 == 0 ? 0 : $0)", "$0 < 0 ? (int64_t)(0 - (uint64_t)$0) : $0"},
    {Code::kExp, "exp_of($0)"},
    {Code::kLog, "log_of($0)"},
    {Code::kLog1p, "log1p_of($0)"},
    {Code::kExpm1, "expm1_of($0)"},
    {Code::kSqrt, "SQRT($0)"},
    {Code::kSquare, "$0 * $0", "(int64_t)((uint64_t)$0 * (uint64_t)$0)"},
    {Code::kTanh, "tanh_of($0)"},
    {Code::kSigmoid, "1 / (1 + exp_of(-$0))"},
    {Code::kSoftplus, "$0 > 40 ? $0 : log1p_of(exp_of($0))"},
    {Code::kErf, "erf_of($0)"},
    {Code::kRelu, "$0 != $0 ? $0 : ($0 > 0 ? $0 : 0)"},
    {Code::kFloor, "FLOOR($0)"},
    {Code::kSign, "$0 > 0 ? 1 : ($0 < 0 ? -1 : 0)", "$0 > 0 ? 1 : ($0 < 0 ? -1 : 0)"},
    {Code::kSin, "SIN($0)"},
    {Code::kCos, "COS($0)"},
    {Code::kAtan2, "ATAN2($0, $1)"},
    {Code::kWhere, "$0 ? $1 : $2", "$0 ? $1 : $2", "$0 ? $1 : $2"},
    {Code::kEq, "$0 == $1", "$0 == $1"},
    {Code::kNe, "$0 != $1", "$0 != $1"},
    {Code::kLt, "$0 < $1", "$0 < $1"},
    {Code::kLe, "$0 <= $1", "$0 <= $1"},
    {Code::kGt, "$0 > $1", "$0 > $1"},
    {Code::kGe, "$0 >= $1", "$0 >= $1"},
    {Code::kAnd, "", "", "($0 != 0) & ($1 != 0)"},
    {Code::kOr, "", "", "($0 != 0) | ($1 != 0)"},
    {Code::kNot, "", "", "$0 == 0"},
    {Code::kIntToReal, "(real)$0"},
    {Code::kBoolToReal, "$0 != 0 ? (real)1 : (real)0"},
    {Code::kBoolToInt, "", "$0 != 0"},
    {Code::kRealToInt, "(int64_t)$0"},
    {Code::kRealToBool, "$0 != 0"},
    {Code::kIntToBool, "", "$0 != 0"},
    {Code::kGelu, "(real)0.5 * $0 * (1 + erf_of((real)(1 / 1.4142135623730951) * $0))"},
    {Code::kIsIndex, "$0 == $1 ? (real)1 : (real)0"},
});

}  // namespace

std::string_view c_type(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return "float";
        case DType::kF64:
            return "double";
        case DType::kI64:
            return "int64_t";
        case DType::kI32:
            return "int32_t";
        default:
            return "uint8_t";
    }
}

std::string_view c_type(Kind kind, DType real) {
    return kind == Kind::kReal ? c_type(real) : kind == Kind::kInt ? "int64_t" : "uint8_t";
}

std::string_view c_expression(Code code, Kind kind) {
    for (const Text& text : kTexts) {
        if (text.code == code) {
            return kind == Kind::kReal ? text.real : kind == Kind::kInt ? text.whole : text.logical;
        }
    }
    return {};
}

Kind result_kind(Code code, Kind kind) {
    switch (code) {
        case Code::kEq:
        case Code::kNe:
        case Code::kLt:
        case Code::kLe:
        case Code::kGt:
        case Code::kGe:
        case Code::kRealToBool:
        case Code::kIntToBool:
            return Kind::kBool;
        case Code::kRealToInt:
        case Code::kBoolToInt:
            return Kind::kInt;
        case Code::kIntToReal:
        case Code::kBoolToReal:
        case Code::kIsIndex:
            return Kind::kReal;
        default:
            return kind;
    }
}

std::string filled(std::string_view expression, const std::string* operands) {
    std::string out;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        if (expression[i] == '$') {
            out += operands[expression[++i] - '0'];
        } else {
            out += expression[i];
        }
    }
    return out;
}

std::string c_number(const void* at, Kind kind, DType real) {
    std::array<char, 64> text{};
    if (kind == Kind::kBool) {
        return *static_cast<const unsigned char*>(at) != 0 ? "1" : "0";
    }
    if (kind == Kind::kInt) {
        std::int64_t value = 0;
        std::memcpy(&value, at, sizeof value);
        return value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + std::to_string(value) + ")";
    }
    const auto written = [&](double value, const char* format, const char* suffix) -> std::string {
        if (!std::isfinite(value)) {
            return std::isnan(value) ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY";
        }
        std::snprintf(text.data(), text.size(), format, value);
        const std::string digits = text.data();
        return digits + (digits.find_first_of(".e") == std::string::npos ? ".0" : "") + suffix;
    };
    if (real == DType::kF64) {
        double value = 0;
        std::memcpy(&value, at, sizeof value);
        return written(value, "%.17g", "");
    }
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return written(static_cast<double>(value), "%.9g", "f");
}

std::string c_name(std::string_view key) {
    std::string out;
    for (const char c : key) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        out += letter ? c : '_';
    }
    return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "_" + out : out;
}

}  // namespace tenon
