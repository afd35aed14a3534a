// SPDX-License-Identifier: Apache-2.0
// Writes JSON at compile time, for the plugin's note. Without a buffer it only counts, which gives the size of the
// note.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/decimal.hpp"

namespace tenon {
inline namespace TENON_SDK {

class JsonText {
public:
    constexpr JsonText() = default;
    constexpr explicit JsonText(char* out) : out_(out) {}

    [[nodiscard]] constexpr std::size_t size() const { return size_; }

    constexpr void raw(std::string_view text) {
        for (const char c : text) {
            put(c);
        }
    }

    constexpr void string(std::string_view text) {
        constexpr std::string_view kHex = "0123456789abcdef";
        put('"');
        for (const char c : text) {
            const auto code = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                put('\\');
                put(c);
            } else if (c == '\n') {
                raw("\\n");
            } else if (c == '\t') {
                raw("\\t");
            } else if (code < 0x20) {
                raw("\\u00");
                put(kHex[code >> 4]);
                put(kHex[code & 15]);
            } else {
                put(c);
            }
        }
        put('"');
    }

    constexpr void value(bool flag) { raw(flag ? "true" : "false"); }
    constexpr void value(std::string_view text) { string(text); }

    constexpr void value(std::int64_t number) {
        auto rest = static_cast<std::uint64_t>(number);
        if (number < 0) {
            put('-');
            rest = 0 - rest;
        }
        char digits[20] = {};
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        while (count > 0) {
            put(digits[--count]);
        }
    }

    // The shortest text that reads back as the same double; it always has a point or an exponent, so that it remains a
    // float.
    constexpr void value(double number) {
        if (!(number - number == 0)) {
            throw "JSON has no infinity and no NaN: choose a finite default";
        }
        if (std::bit_cast<std::uint64_t>(number) >> 63 != 0) {
            put('-');
            number = -number;
        }
        if (number == 0) {
            raw("0.0");
            return;
        }
        const Decimal decimal = shortest_decimal(number);
        if (decimal.exponent < -5 || decimal.exponent > 15) {
            digits(decimal, 0, 1);
            if (decimal.count > 1) {
                put('.');
                digits(decimal, 1, decimal.count);
            }
            put('e');
            value(std::int64_t{decimal.exponent});
            return;
        }
        digits(decimal, decimal.exponent < 0 ? -1 : 0, decimal.exponent < 0 ? 0 : decimal.exponent + 1);
        put('.');
        const int first = decimal.exponent + 1;
        digits(decimal, first, first + 1 > decimal.count ? first + 1 : decimal.count);
    }

private:
    constexpr void put(char c) {
        if (out_ != nullptr) {
            out_[size_] = c;
        }
        ++size_;
    }

    // Digits outside the number are zeros.
    constexpr void digits(const Decimal& decimal, int first, int last) {
        for (int i = first; i < last; ++i) {
            put(i >= 0 && i < decimal.count ? decimal.digit[static_cast<std::size_t>(i)] : '0');
        }
    }

    char* out_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace TENON_SDK
}  // namespace tenon
