// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "train/checkpoint/safetensors.hpp"
#include "train/checkpoint/safetensors_header.hpp"

namespace tenon {
namespace {

// The upper half of a float32.
double of_bfloat16(std::uint16_t bits) {
    return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16U));
}

// IEEE's binary16: 5 bits of exponent, 10 of the fraction.
double of_float16(std::uint16_t bits) {
    const int exponent = (bits >> 10U) & 31U;
    const int fraction = bits & 1023U;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000U) == 0 ? size : -size;
}

template <class Stored, class Convert>
std::vector<double> converted(const StoredTensor& tensor, Convert convert) {
    std::vector<double> out(*stored_size(tensor, {}) / sizeof(Stored));
    const auto* from = static_cast<const std::byte*>(tensor.data);
    for (double& value : out) {
        Stored stored{};
        std::memcpy(&stored, from, sizeof stored);
        value = convert(stored);
        from += sizeof stored;
    }
    return out;
}

}  // namespace

bool is_real(const StoredTensor& tensor) {
    return tensor.dtype == TN_F32 || tensor.dtype == TN_F64 || tensor.dtype == TN_BF16 || tensor.dtype == TN_F16;
}

std::vector<double> real_numbers(const StoredTensor& tensor) {
    switch (tensor.dtype) {
        case TN_F64:
            return converted<double>(tensor, [](double x) { return x; });
        case TN_F32:
            return converted<float>(tensor, [](float x) { return static_cast<double>(x); });
        case TN_BF16:
            return converted<std::uint16_t>(tensor, of_bfloat16);
        case TN_F16:
            return converted<std::uint16_t>(tensor, of_float16);
        default:
            return {};
    }
}

}  // namespace tenon
