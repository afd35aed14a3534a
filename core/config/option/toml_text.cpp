// SPDX-License-Identifier: Apache-2.0
#include "config/option/toml_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tenon {
namespace {

bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void append_escape(std::string& out, unsigned char c) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += "\\u00";
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
}

}  // namespace

std::string toml_float(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    // Both notations have the fewest digits; without a notation, to_chars writes 0.0003 as 3e-04 and 100000 as 1e+05.
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-5 && size < 1e15);
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer.data(), end);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                    append_escape(out, static_cast<unsigned char>(c));
                } else {
                    out += c;
                }
        }
    }
    return out + '"';
}

std::string toml_key(std::string_view key) {
    for (const char c : key) {
        if (!is_bare(c)) {
            return toml_string(key);
        }
    }
    return key.empty() ? "\"\"" : std::string(key);
}

}  // namespace tenon
