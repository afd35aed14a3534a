// SPDX-License-Identifier: Apache-2.0
// The range of an option, "[0,1]" or "(0,inf)", parsed at compile time so that mistakes in it are compile errors.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct OptionRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_open = false;
    bool high_open = false;

    [[nodiscard]] constexpr bool contains(double x) const {
        return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
    }
};

// "-1.5", "2e-3", "inf". Exact for numbers that people write: at most 15 digits, times a power of ten up to 22.
constexpr double range_end(std::string_view text) {
    const bool negative = text.starts_with('-');
    text.remove_prefix(negative ? 1 : 0);
    if (text == "inf") {
        return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    std::int64_t mantissa = 0;
    int digits = 0;
    int power = 0;
    bool point = false;
    for (; !text.empty() && text[0] != 'e'; text.remove_prefix(1)) {
        if (text[0] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[0] < '0' || text[0] > '9') {
            throw "the end of an option's range is not a number";
        }
        mantissa = mantissa * 10 + (text[0] - '0');
        power -= point ? 1 : 0;
        ++digits;
    }
    if (text.starts_with('e')) {
        text.remove_prefix(1);
        const bool down = text.starts_with('-');
        text.remove_prefix(down || text.starts_with('+') ? 1 : 0);
        int exponent = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') {
                throw "the end of an option's range is not a number";
            }
            exponent = exponent * 10 + (c - '0');
        }
        power += down ? -exponent : exponent;
    }
    if (digits == 0 || digits > 15 || power < -22 || power > 22) {
        throw "the end of an option's range is not a number of at most 15 digits";
    }
    double scale = 1;
    for (int i = power < 0 ? -power : power; i > 0; --i) {
        scale *= 10;
    }
    const auto value = static_cast<double>(mantissa);
    return (negative ? -1 : 1) * (power < 0 ? value / scale : value * scale);
}

// Empty text: no limits.
constexpr OptionRange option_range(std::string_view text) {
    OptionRange range;
    if (text.empty()) {
        return range;
    }
    const auto comma = text.find(',');
    const bool closed = text.size() > 4 && (text.front() == '[' || text.front() == '(') &&
                        (text.back() == ']' || text.back() == ')') && comma != std::string_view::npos;
    if (!closed) {
        throw "write an option's range like [0,1], (0,1) or (0,inf)";
    }
    range.low = range_end(text.substr(1, comma - 1));
    range.high = range_end(text.substr(comma + 1, text.size() - comma - 2));
    range.low_open = text.front() == '(';
    range.high_open = text.back() == ')';
    if (!(range.low <= range.high)) {
        throw "an option's range ends before it begins";
    }
    return range;
}

}  // namespace TENON_SDK
}  // namespace tenon
