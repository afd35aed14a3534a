// SPDX-License-Identifier: Apache-2.0
#include "commands/new/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tenon {
namespace {

constexpr std::size_t kLongest = 64;

// A name becomes a file, a CMake target, an identifier and, with capitals, a type.
constexpr std::array<std::string_view, 98> kWordsOfLanguages = {
    "alignas",     "alignof",      "and",       "and_eq",   "asm",       "auto",     "bitand",   "bitor",
    "bool",        "break",        "case",      "catch",    "char",      "char8_t",  "char16_t", "char32_t",
    "class",       "co_await",     "co_return", "co_yield", "compl",     "concept",  "const",    "const_cast",
    "consteval",   "constexpr",    "constinit", "continue", "decltype",  "default",  "delete",   "do",
    "double",      "dynamic_cast", "else",      "enum",     "explicit",  "export",   "extern",   "false",
    "float",       "for",          "friend",    "goto",     "if",        "inline",   "int",      "long",
    "main",        "mutable",      "namespace", "new",      "noexcept",  "not",      "not_eq",   "nullptr",
    "operator",    "or",           "or_eq",     "private",  "protected", "public",   "register", "reinterpret_cast",
    "requires",    "restrict",     "return",    "short",    "signed",    "sizeof",   "static",   "static_assert",
    "static_cast", "std",          "struct",    "switch",   "template",  "tenon",    "this",     "thread_local",
    "throw",       "true",         "try",       "typedef",  "typeid",    "typename", "union",    "unsigned",
    "using",       "virtual",      "void",      "volatile", "wchar_t",   "while",    "xor",      "xor_eq",
    "linux",       "unix"};
constexpr std::array<std::string_view, 10> kTargetsOfCMake = {
    "all", "clean", "depend", "edit_cache", "help", "install", "package", "package_source", "rebuild_cache", "test"};

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z');
}

bool is_well_formed(std::string_view name) {
    return !name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

// The name that was probably meant: "Hill-Climb" and "HillClimb" are hill_climb. Empty if there is none.
std::string well_formed(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (c >= 'A' && c <= 'Z') {
            if (i > 0 && is_letter(name[i - 1])) {
                out += '_';
            }
            out += static_cast<char>(c - 'A' + 'a');
        } else if (is_letter(c) || is_digit(c)) {
            out += c;
        } else if (!out.empty() && out.back() != '_') {
            out += '_';
        }
    }
    return is_well_formed(out) ? out : "";
}

// The position of the next such word from `from` on; npos if there is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
            return at;
        }
    }
    return std::string_view::npos;
}

}  // namespace

std::string fault_of_plugin_name(std::string_view name) {
    const std::string quoted = "'" + std::string(name) + "'";
    if (!is_well_formed(name)) {
        const std::string meant = well_formed(name);
        return "a plugin's name has at most " + std::to_string(kLongest) +
               " characters: a to z, digits and '_', beginning with a letter; this is " + quoted +
               (meant.empty() ? "" : "; did you mean '" + meant + "'?");
    }
    if (std::ranges::find(kWordsOfLanguages, name) != kWordsOfLanguages.end()) {
        return quoted + " is a keyword or macro of the compiler; give the plugin another name";
    }
    if (std::ranges::find(kTargetsOfCMake, name) != kTargetsOfCMake.end()) {
        return quoted + " is a reserved target of CMake; give the plugin another name";
    }
    return "";
}

std::string type_name_of(std::string_view name) {
    std::string out;
    bool begins = true;
    for (const char c : name) {
        if (c != '_') {
            out += begins && is_letter(c) ? static_cast<char>(c - 'a' + 'A') : c;
        }
        begins = c == '_';
    }
    return out;
}

bool has_word(std::string_view text, std::string_view word) {
    return find_word(text, word, 0) != std::string_view::npos;
}

std::string with_word(std::string_view text, std::string_view word, std::string_view other) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at = find_word(text, word, 0); at != std::string_view::npos; at = find_word(text, word, from)) {
        out += text.substr(from, at - from);
        out += other;
        from = at + word.size();
    }
    out += text.substr(from);
    return out;
}

}  // namespace tenon
