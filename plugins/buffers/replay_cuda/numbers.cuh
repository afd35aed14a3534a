// SPDX-License-Identifier: Apache-2.0
// Random numbers and powers as the CPU has them, to the bit: the generator of a batch
// (tenon/random.hpp), and what replay's powers.hpp computes. Compiled without contraction of products and sums.
#pragma once

#include <cstdint>

#include "tenon/abi/device_sampler.h"
#include "tenon/device_random.hpp"
#include "tenon/emulated.hpp"

using Bits = tn_random_block;
using tenon::philox;

__device__ inline std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
    return tenon::join_words(high, low);
}
__device__ inline double as_uniform(std::uint32_t high, std::uint32_t low) {
    return tenon::uniform_of(high, low);
}

// The stream of a batch.
__device__ inline tn_key batch_key(const tn_sample_numbers& numbers) {
    return tenon::batch_random(numbers).key;
}

// x^power for positive x.
__device__ inline float raised(float x, float power) {
    const float rounds = 12582912.0F;
    const std::int32_t rounds_bits = 0x4B400000;
    const std::int32_t half_root = 0x3F3504F3;
    const std::int32_t one = 0x3F800000;
    const float upper = __uint_as_float(__float_as_uint(power) & 0xFFFFF000U);
    const float lower = power - upper;
    const float least = 1.17549435e-38F;
    const float most = 3.402823466e38F;
    x = x < least ? least : x;
    x = x > most ? most : x;
    const auto bits = static_cast<std::int32_t>(__float_as_uint(x));
    const std::int32_t exponent = (bits - half_root) >> 23;
    const float m = __uint_as_float(static_cast<std::uint32_t>(bits) - (static_cast<std::uint32_t>(exponent) << 23));
    const auto e = static_cast<float>(exponent);

    const float s = (m - 1.0F) / (m + 1.0F);
    const float q = s * s;
    const float series = ((q * (1.0F / 9) + (1.0F / 7)) * q + (1.0F / 5)) * q + (1.0F / 3);
    const float log2 = 2.8853900817779268F * (s + s * q * series);

    const float coarse = upper * e;
    const float fine = lower * e + (upper + lower) * log2;
    float sum = coarse + fine;
    sum = sum < -126 ? -126 : sum;
    sum = sum > 126 ? 126 : sum;
    const float rounded = sum + rounds;
    float rest = (coarse - (rounded - rounds)) + fine;
    rest = rest < -1 ? -1 : rest;
    rest = rest > 1 ? 1 : rest;

    float value = rest * 1.5252734e-5F + 1.5403530e-4F;
    value = value * rest + 1.3333558e-3F;
    value = value * rest + 9.6181291e-3F;
    value = value * rest + 5.5504109e-2F;
    value = value * rest + 2.4022651e-1F;
    value = value * rest + 6.9314718e-1F;
    value = value * rest + 1.0F;
    const std::int32_t whole = static_cast<std::int32_t>(__float_as_uint(rounded)) - rounds_bits;
    return value * __uint_as_float((static_cast<std::uint32_t>(whole) << 23) + static_cast<std::uint32_t>(one));
}
