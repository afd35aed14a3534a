// SPDX-License-Identifier: Apache-2.0
#include "base/json/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

// What a terminal would obey is escaped, also where JSON permits it. Bytes that are not UTF-8 stay.
bool is_escaped(std::string_view character) {
    const bool is_valid = character.size() > 1 || static_cast<unsigned char>(character.front()) < 0x80;
    return is_valid && is_control(character);
}

// All control characters have four digits or fewer.
void append_escape(std::string& out, std::uint32_t code) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
        out += kHex[code >> static_cast<unsigned>(shift) & 15U];
    }
}

}  // namespace

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
    out_ += '"';
    while (!value.empty()) {
        const std::string_view character = value.substr(0, std::max<std::size_t>(character_size(value), 1));
        value.remove_prefix(character.size());
        const char c = character.front();
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (c == '\n') {
            out_ += "\\n";
        } else if (c == '\t') {
            out_ += "\\t";
        } else if (is_escaped(character)) {
            append_escape(out_, code_point(character));
        } else {
            out_ += character;
        }
    }
    out_ += '"';
}

}  // namespace tenon
