// SPDX-License-Identifier: Apache-2.0
// A JSON object: the line of a .jsonl file, or a vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/guard.hpp"

namespace text {

class JsonLine {
public:
    struct Member {
        std::string text;  // of another value: as it stands in the file
        bool is_text = false;
    };
    using Members = std::map<std::string, Member>;

    // `subject` begins the sentence of what is thrown.
    static Members members(std::string_view line, const std::string& subject) {
        JsonLine reader(line, subject);
        Members out = reader.object();
        reader.blanks();
        reader.require(reader.at_ == line.size(), "something follows its object");
        return out;
    }

private:
    JsonLine(std::string_view line, const std::string& subject) : line_(line), subject_(subject) {}

    void require(bool holds, const char* what) const {
        if (!holds) {
            throw tenon::InvalidArgument(subject_ + " is no JSON object: " + what + " (character " +
                                         std::to_string(at_ + 1) + ")");
        }
    }
    void blanks() { at_ = std::min(line_.find_first_not_of(" \t\r\n", at_), line_.size()); }
    [[nodiscard]] char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
    void expect(char wanted, const char* what) {
        blanks();
        require(peek() == wanted, what);
        ++at_;
    }
    bool skip(char wanted) {
        blanks();
        const bool found = peek() == wanted;
        at_ += found ? 1 : 0;
        return found;
    }

    Members object() {
        Members out;
        expect('{', "it begins with no brace");
        if (skip('}')) {
            return out;
        }
        do {
            std::string key = string();
            expect(':', "a colon is missing");
            blanks();
            if (peek() == '"') {
                out[std::move(key)] = {string(), true};
            } else {
                const std::size_t begin = at_;
                value(0);
                out[std::move(key)] = {std::string(line_.substr(begin, at_ - begin)), false};
            }
        } while (skip(','));
        expect('}', "a comma or the closing brace is missing");
        return out;
    }

    void value(int depth) {
        require(depth < 100, "its lists are nested too deeply");
        blanks();
        if (peek() == '"') {
            static_cast<void>(string());
        } else if (peek() == '{' || peek() == '[') {
            const char last = line_[at_++] == '{' ? '}' : ']';
            while (!skip(last)) {
                value(depth + 1);
                static_cast<void>(skip(',') || skip(':'));
            }
        } else {
            const std::size_t begin = at_;
            at_ = std::min(line_.find_first_of(",]}: \t\r\n", at_), line_.size());
            require(at_ > begin, "a value is missing");
        }
    }

    std::uint32_t code() {
        std::uint32_t out = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(peek() | 0x20));
            require(digit != std::string_view::npos && peek() > ' ', "\\u needs four hexadecimal digits");
            out = out * 16 + static_cast<std::uint32_t>(digit);
        }
        return out;
    }

    static void put(std::string& out, std::uint32_t code) {
        const auto rest = [&](int shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += static_cast<char>(0xC0U | (code >> 6U));
            rest(0);
        } else if (code < 0x10000) {
            out += static_cast<char>(0xE0U | (code >> 12U));
            rest(6);
            rest(0);
        } else {
            out += static_cast<char>(0xF0U | (code >> 18U));
            rest(12);
            rest(6);
            rest(0);
        }
    }

    std::string string() {
        expect('"', "a text in quotation marks is missing");
        std::string out;
        for (;;) {
            require(at_ < line_.size(), "a text has no end");
            const char c = line_[at_++];
            if (c == '"') {
                return out;
            }
            if (c != '\\') {
                out += c;
                continue;
            }
            const char escaped = peek();
            ++at_;
            constexpr std::string_view kFrom = "\"\\/bfnrt";
            const std::size_t known = kFrom.find(escaped);
            require(known != std::string_view::npos || escaped == 'u', "an escape is unknown");
            if (escaped != 'u') {
                out += "\"\\/\b\f\n\r\t"[known];
                continue;
            }
            std::uint32_t of = code();
            if (of >= 0xD800 && of < 0xDC00 && line_.substr(at_, 2) == "\\u") {  // a pair of surrogates
                at_ += 2;
                of = 0x10000 + ((of - 0xD800) << 10U) + (code() - 0xDC00);
            }
            put(out, of);
        }
    }

    std::string_view line_;
    const std::string& subject_;
    std::size_t at_ = 0;
};

}  // namespace text
