// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/json_cursor.hpp"

#include <charconv>
#include <system_error>

namespace tenon {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

}  // namespace

bool JsonCursor::fail() {
    failed_ = true;
    return false;
}

void JsonCursor::skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) {
        ++at_;
    }
}

char JsonCursor::peek() {
    skip_space();
    return failed_ || at_ == text_.size() ? '\0' : text_[at_];
}

std::uint32_t JsonCursor::nesting() const {
    std::uint32_t out = 0;
    for (std::size_t i = at_; i < text_.size() && (text_[i] == '[' || is_space(text_[i])); ++i) {
        out += text_[i] == '[' ? 1 : 0;
    }
    return out;
}

bool JsonCursor::enter(char open) {
    if (peek() != open || depth_ == kMaxDepth) {
        return fail();
    }
    ++at_;
    first_[depth_++] = true;
    return true;
}

bool JsonCursor::next(char close) {
    const char c = peek();
    if (c == '\0' || depth_ == 0) {
        return fail();
    }
    bool& first = first_[depth_ - 1];
    if (c == close) {
        ++at_;
        --depth_;
        return false;
    }
    if (!first) {
        if (c != ',') {
            return fail();
        }
        ++at_;
    }
    first = false;
    return true;
}

std::optional<std::string> JsonCursor::next_key() {
    if (!next('}')) {
        return std::nullopt;
    }
    std::optional<std::string> key = text();
    if (!key || peek() != ':') {
        fail();
        return std::nullopt;
    }
    ++at_;
    return key;
}

std::optional<std::uint32_t> JsonCursor::four_digits() {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t code = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || read.ec != std::errc{} || read.ptr != digits.data() + 4) {
        return std::nullopt;
    }
    at_ += 4;
    return code;
}

// What follows a backslash.
bool JsonCursor::escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (const std::size_t found = kLetters.find(c); c != '\0' && found != std::string_view::npos) {
        out += kMeant[found];
        return true;
    }
    std::optional<std::uint32_t> code = c == 'u' ? four_digits() : std::nullopt;
    if (!code || (*code >= 0xDC00 && *code < 0xE000)) {
        return false;
    }
    if (*code >= 0xD800 && *code < 0xDC00) {  // the first half of a pair
        if (text_.substr(at_, 2) != "\\u") {
            return false;
        }
        at_ += 2;
        const std::optional<std::uint32_t> low = four_digits();
        if (!low || *low < 0xDC00 || *low > 0xDFFF) {
            return false;
        }
        code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
    }
    append_utf8(out, *code);
    return true;
}

std::optional<std::string> JsonCursor::text() {
    if (peek() != '"') {
        fail();
        return std::nullopt;
    }
    std::string out;
    for (++at_; at_ < text_.size();) {
        const char c = text_[at_++];
        if (c == '"') {
            return out;
        }
        if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape(out))) {
            break;
        }
        if (c != '\\') {
            out += c;
        }
    }
    fail();
    return std::nullopt;
}

std::optional<std::string_view> JsonCursor::number() {
    peek();
    const std::size_t begin = at_;
    std::size_t end = begin;
    const auto digits = [&] {
        const std::size_t from = end;
        while (end < text_.size() && is_digit(text_[end])) {
            ++end;
        }
        return end > from;
    };
    const auto has = [&](std::string_view any) {
        return end < text_.size() && any.find(text_[end]) != std::string_view::npos;
    };
    end += has("-") ? 1 : 0;
    bool good = false;
    for (const std::string_view word : {"NaN", "Infinity"}) {
        if (text_.substr(end).starts_with(word)) {
            end += word.size();
            good = true;
        }
    }
    if (!good) {
        const bool zero = has("0");
        const std::size_t from = end;
        good = digits() && (!zero || end == from + 1);
        if (good && has(".")) {
            ++end;
            good = digits();
        }
        if (good && has("eE")) {
            ++end;
            end += has("+-") ? 1 : 0;
            good = digits();
        }
    }
    if (failed_ || !good) {
        fail();
        return std::nullopt;
    }
    at_ = end;
    return text_.substr(begin, end - begin);
}

bool JsonCursor::literal(std::string_view word) {
    if (failed_ || !text_.substr(at_).starts_with(word)) {
        return fail();
    }
    at_ += word.size();
    return true;
}

std::optional<bool> JsonCursor::boolean() {
    const bool value = peek() == 't';
    return literal(value ? "true" : "false") ? std::optional(value) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void JsonCursor::skip() {
    switch (peek()) {
        case '{':
            enter_object();
            while (next_key()) {
                skip();
            }
            break;
        case '[':
            enter_array();
            while (next_element()) {
                skip();
            }
            break;
        case '"':
            text();
            break;
        case 't':
        case 'f':
            boolean();
            break;
        case 'n':
            literal("null");
            break;
        default:
            number();
    }
}

bool JsonCursor::complete() {
    return peek() == '\0' && !failed_ && depth_ == 0;
}

}  // namespace tenon
