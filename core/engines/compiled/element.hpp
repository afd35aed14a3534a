// SPDX-License-Identifier: Apache-2.0
// Reads and writes one number of a tape's memory in its stored type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/data/dtype.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

inline void set(void* at, Kind kind, DType real, std::size_t index, double value) {
    if (kind == Kind::kInt) {
        static_cast<std::int64_t*>(at)[index] = static_cast<std::int64_t>(value);
    } else if (kind == Kind::kBool) {
        static_cast<unsigned char*>(at)[index] = value != 0 ? 1 : 0;
    } else if (real == DType::kF64) {
        static_cast<double*>(at)[index] = value;
    } else {
        static_cast<float*>(at)[index] = static_cast<float>(value);
    }
}

// The bytes of a constant.
inline std::vector<std::byte> stored(double value, DType real) {
    std::vector<std::byte> out(size_of(real));
    set(out.data(), Kind::kReal, real, 0, value);
    return out;
}

inline std::vector<std::byte> stored(std::span<const std::int64_t> values) {
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

inline double get(const void* at, Kind kind, DType real) {
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    };
    return kind == Kind::kInt    ? as(std::int64_t{})
           : kind == Kind::kBool ? as(static_cast<unsigned char>(0))
           : real == DType::kF64 ? as(0.0)
                                 : as(0.0F);
}

}  // namespace tenon::compiled
