// SPDX-License-Identifier: Apache-2.0
#include "base/json/write.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace tenon {

void JsonWriter::separate() {
    if (comma_) {
        out_ += ',';
    }
    comma_ = true;
}

JsonWriter& JsonWriter::literal(std::string_view word) {
    separate();
    out_ += word;
    return *this;
}

JsonWriter& JsonWriter::begin_object() {
    literal("{");
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    out_ += '}';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    literal("[");
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    out_ += ']';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quoted(name);
    out_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    quoted(value);
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return literal({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

JsonWriter& JsonWriter::number(double value) {
    if (!std::isfinite(value)) {
        return null();
    }
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view word(digits.data(), static_cast<std::size_t>(end - digits.data()));
    literal(word);
    if (word.find_first_of(".e") == std::string_view::npos) {
        out_ += ".0";
    }
    return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
    return literal(value ? "true" : "false");
}

JsonWriter& JsonWriter::null() {
    return literal("null");
}

void JsonWriter::quoted(std::string_view value) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out_ += '"';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (c == '\n') {
            out_ += "\\n";
        } else if (c == '\t') {
            out_ += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            out_ += "\\u00";
            out_ += kHex[byte >> 4U];
            out_ += kHex[byte & 15U];
        } else {
            out_ += c;
        }
    }
    out_ += '"';
}

}  // namespace tenon
