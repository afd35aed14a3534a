// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tenon/guard.hpp"

namespace hdf5 {
namespace {

constexpr int kDeepest = 64;

class Parser {
public:
    Parser(std::string_view text, const std::string& subject) : text_(text), subject_(subject) {}

    Json whole() {
        Json out = value(0);
        blanks();
        return at_ == text_.size() ? out : fail();
    }

private:
    [[noreturn]] Json fail() const {
        throw tenon::InvalidArgument(subject_ + " is not valid JSON at byte " + std::to_string(at_));
    }

    void blanks() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    Json value(int depth) {
        blanks();
        if (depth > kDeepest || at_ == text_.size()) {
            return fail();
        }
        switch (text_[at_]) {
            case '{':
                return object(depth);
            case '[':
                return list(depth);
            case '"':
                return {string()};
            default:
                return word();
        }
    }

    Json word() {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (take("null")) {
            return {};
        }
        if (take("true")) {
            return {true};
        }
        if (take("false")) {
            return {false};
        }
        if (take("Infinity")) {
            return {kInfinity};
        }
        if (take("-Infinity")) {
            return {-kInfinity};
        }
        if (take("NaN")) {
            return {std::numeric_limits<double>::quiet_NaN()};
        }
        double number = 0;
        const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (fault != std::errc()) {
            return fail();
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        return {number};
    }

    Json list(int depth) {
        Json::List out;
        ++at_;
        for (blanks(); !take("]"); blanks()) {
            if (!out.empty() && !take(",")) {
                fail();
            }
            out.push_back(value(depth + 1));
        }
        return {std::move(out)};
    }

    Json object(int depth) {
        Json::Members out;
        ++at_;
        for (blanks(); !take("}"); blanks()) {
            if (!out.empty() && !take(",")) {
                fail();
            }
            blanks();
            if (at_ == text_.size() || text_[at_] != '"') {
                fail();
            }
            std::string key = string();
            blanks();
            if (!take(":")) {
                fail();
            }
            out.emplace_back(std::move(key), value(depth + 1));
        }
        return {std::move(out)};
    }

    std::string string() {
        std::string out;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\') {
                out += text_[at_];
                continue;
            }
            if (++at_ == text_.size()) {
                fail();
            }
            escape(out);
        }
        if (at_ == text_.size()) {
            fail();
        }
        ++at_;
        return out;
    }

    // A character above 0x7F becomes UTF-8; halves of pairs stay apart, for only keys and numbers matter here.
    void escape(std::string& out) {
        constexpr std::string_view kLetters = "nrtbf";
        constexpr std::string_view kMeanings = "\n\r\t\b\f";
        const std::size_t known = kLetters.find(text_[at_]);
        if (text_[at_] != 'u') {
            out += known == std::string_view::npos ? text_[at_] : kMeanings[known];
            return;
        }
        unsigned code = 0;
        const char* const first = text_.data() + at_ + 1;
        if (text_.size() - at_ < 5 || std::from_chars(first, first + 4, code, 16).ptr != first + 4) {
            fail();
        }
        at_ += 4;
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += static_cast<char>(0xC0U | (code >> 6U));
            out += static_cast<char>(0x80U | (code & 0x3FU));
        } else {
            out += static_cast<char>(0xE0U | (code >> 12U));
            out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
            out += static_cast<char>(0x80U | (code & 0x3FU));
        }
    }

    std::string_view text_;
    const std::string& subject_;
    std::size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
    const Members* const all = members();
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        if ((*all)[i].first == key) {
            return &(*all)[i].second;
        }
    }
    return nullptr;
}

std::vector<double> Json::numbers() const {
    if (const double* const one = number()) {
        return {*one};
    }
    if (const bool* const flag = std::get_if<bool>(&value)) {
        return {*flag ? 1.0 : 0.0};
    }
    std::vector<double> out;
    const List* const all = list();
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        const std::vector<double> inner = (*all)[i].numbers();
        out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
}

Json parse_json(std::string_view text, const std::string& subject) {
    return Parser(text, subject).whole();
}

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view kHex = "0123456789abcdef";
            out += "\\u00";
            out += kHex[static_cast<unsigned char>(c) >> 4U];
            out += kHex[static_cast<unsigned char>(c) & 15U];
            continue;
        }
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

std::string number_text(double value, bool is_integer) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-Infinity" : "Infinity";
    }
    std::array<char, 40> text{};
    if (is_integer) {
        const auto [end, fault] =
            std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(value));
        return {text.data(), end};
    }
    const auto [end, fault] = std::to_chars(text.data(), text.data() + text.size(), value);
    std::string out(text.data(), end);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

}  // namespace hdf5
