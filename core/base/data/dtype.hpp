// SPDX-License-Identifier: Apache-2.0
// Element types of columns, with the numbers of the ABI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tenon/abi/types.h"

namespace tenon {

enum class DType : std::int32_t {
    kF32 = TN_F32,
    kF64 = TN_F64,
    kI64 = TN_I64,
    kI32 = TN_I32,
    kU8 = TN_U8,
    kBool = TN_BOOL,  // one byte, 0 or 1
};

constexpr std::size_t size_of(DType dtype) {
    switch (dtype) {
        case DType::kF64:
        case DType::kI64:
            return 8;
        case DType::kF32:
        case DType::kI32:
            return 4;
        case DType::kU8:
        case DType::kBool:
            return 1;
    }
    return 0;
}

constexpr std::string_view name_of(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return "float32";
        case DType::kF64:
            return "float64";
        case DType::kI64:
            return "int64";
        case DType::kI32:
            return "int32";
        case DType::kU8:
            return "uint8";
        case DType::kBool:
            return "bool";
    }
    return "unknown";
}

constexpr bool is_float(DType dtype) {
    return dtype == DType::kF32 || dtype == DType::kF64;
}

// Nothing for unknown numbers, and for TN_REAL, which has no representation in memory.
constexpr std::optional<DType> to_dtype(std::int32_t number) {
    if (number < TN_F32 || number > TN_BOOL) {
        return std::nullopt;
    }
    return static_cast<DType>(number);
}

// Calls f with a zero of the C++ element type; bool is stored as uint8_t.
template <class F>
decltype(auto) with_element(DType dtype, F&& f) {
    switch (dtype) {
        case DType::kF64:
            return f(double{});
        case DType::kI64:
            return f(std::int64_t{});
        case DType::kI32:
            return f(std::int32_t{});
        case DType::kU8:
        case DType::kBool:
            return f(std::uint8_t{});
        case DType::kF32:
            break;
    }
    return f(float{});
}

}  // namespace tenon
