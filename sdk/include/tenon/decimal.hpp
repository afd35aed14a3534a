// SPDX-License-Identifier: Apache-2.0
// The shortest decimal digits that read back as the same double, at compile time: the plugin's note holds option
// defaults as text, and std::to_chars is not constexpr. Steele and White, "How to print floating-point numbers
// accurately", PLDI 1990, free-format algorithm with exact integers.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// An unsigned integer that is wide enough for any double in units of the smallest one, times a power of ten: a little
// more than 2^1075 * 10.
class WideInteger {
public:
    constexpr explicit WideInteger(std::uint64_t value) {
        word_[0] = static_cast<std::uint32_t>(value);
        word_[1] = static_cast<std::uint32_t>(value >> 32);
        size_ = word_[1] != 0 ? 2 : 1;
    }

    constexpr void multiply(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            carry += std::uint64_t{word_[i]} * factor;
            word_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) {
            word_[size_++] = static_cast<std::uint32_t>(carry);
        }
    }

    constexpr void shift_left(int bits) {
        for (; bits >= 31; bits -= 31) {
            multiply(std::uint32_t{1} << 31);
        }
        multiply(std::uint32_t{1} << bits);
    }

    constexpr void add(const WideInteger& other) {
        std::uint64_t carry = 0;
        const std::size_t longest = size_ > other.size_ ? size_ : other.size_;
        for (std::size_t i = 0; i < longest; ++i) {
            carry += std::uint64_t{word_[i]} + other.word_[i];
            word_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        size_ = longest;
        if (carry != 0) {
            word_[size_++] = 1;
        }
    }

    // Requires other <= *this.
    constexpr void subtract(const WideInteger& other) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t taken = std::uint64_t{other.word_[i]} + borrow;
            borrow = word_[i] < taken ? 1 : 0;
            word_[i] = static_cast<std::uint32_t>((borrow << 32) + word_[i] - taken);
        }
        while (size_ > 1 && word_[size_ - 1] == 0) {
            --size_;
        }
    }

    friend constexpr std::strong_ordering operator<=>(const WideInteger& a, const WideInteger& b) {
        if (a.size_ != b.size_) {
            return a.size_ <=> b.size_;
        }
        for (std::size_t i = a.size_; i-- > 0;) {
            if (a.word_[i] != b.word_[i]) {
                return a.word_[i] <=> b.word_[i];
            }
        }
        return std::strong_ordering::equal;
    }
    friend constexpr bool operator==(const WideInteger& a, const WideInteger& b) { return (a <=> b) == 0; }

private:
    std::array<std::uint32_t, 36> word_{};
    std::size_t size_ = 1;
};

// digit[0] . digit[1] digit[2] ... times 10^exponent
struct Decimal {
    std::array<char, 17> digit{};
    int count = 0;
    int exponent = 0;
};

// For a finite value above zero.
constexpr Decimal shortest_decimal(double value) {
    constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto biased = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t mantissa = (bits & (kHidden - 1)) + (biased != 0 ? kHidden : 0);
    const int exponent = (biased != 0 ? biased : 1) - 1075;
    // At a power of two the neighbour below is half as far away as the one above.
    const int uneven = mantissa == kHidden && biased > 1 ? 1 : 0;

    // value = r / s; everything between (r - below) / s and (r + above) / s reads back as value.
    WideInteger r(mantissa);
    WideInteger s(1);
    WideInteger above(1);
    WideInteger below(1);
    r.shift_left((exponent > 0 ? exponent : 0) + 1 + uneven);
    s.shift_left((exponent < 0 ? -exponent : 0) + 1 + uneven);
    above.shift_left((exponent > 0 ? exponent : 0) + uneven);
    below.shift_left(exponent > 0 ? exponent : 0);
    const bool ends_belong = mantissa % 2 == 0;  // ties are read to even

    const auto reaches = [&](const WideInteger& limit) {
        WideInteger top = r;
        top.add(above);
        return ends_belong ? top >= limit : top > limit;
    };
    const auto times_ten = [&] {
        r.multiply(10);
        above.multiply(10);
        below.multiply(10);
    };

    Decimal out;
    while (reaches(s)) {
        s.multiply(10);
        ++out.exponent;
    }
    times_ten();
    while (!reaches(s)) {
        times_ten();
        --out.exponent;
    }
    --out.exponent;
    while (true) {
        char digit = 0;
        while (r >= s) {
            r.subtract(s);
            ++digit;
        }
        const bool low_enough = ends_belong ? r <= below : r < below;
        const bool high_enough = reaches(s);
        if (low_enough || high_enough) {
            WideInteger twice = r;
            twice.multiply(2);
            const auto half = twice <=> s;
            const bool up = high_enough && (!low_enough || half > 0 || (half == 0 && digit % 2 != 0));
            out.digit[static_cast<std::size_t>(out.count++)] = static_cast<char>('0' + digit + (up ? 1 : 0));
            return out;
        }
        out.digit[static_cast<std::size_t>(out.count++)] = static_cast<char>('0' + digit);
        times_ten();
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
