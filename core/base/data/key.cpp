// SPDX-License-Identifier: Apache-2.0
#include "base/data/key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tenon {
namespace {

bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string key_fault(std::string_view key) {
    if (key.empty()) {
        return "is empty";
    }
    bool at_start = true;
    for (const char c : key) {
        if (c == '.') {
            if (at_start) {
                return "has an empty part between its dots";
            }
            at_start = true;
        } else if (is_key_character(c)) {
            at_start = false;
        } else {
            return "may hold letters, digits, '_', '-' and dots only";
        }
    }
    return at_start ? "ends in a dot" : "";
}

std::string name_fault(std::string_view name) {
    constexpr std::size_t kLongest = 128;
    if (name.empty()) {
        return "is empty";
    }
    if (name.size() > kLongest) {
        return "is longer than " + std::to_string(kLongest) + " characters";
    }
    const bool fits = std::ranges::all_of(name, [](char c) { return is_key_character(c) || c == '.' || c == '/'; });
    return fits ? "" : "may hold letters, digits, '_', '-', '.' and '/' only";
}

bool is_reserved(std::string_view key) {
    static constexpr std::array<std::string_view, 14> kReserved = {
        "terminated", "truncated", "done",    "is_init", "next",  "mask",  "weight",
        "priority",   "steps",     "present", "stored",  "batch", "group", "goal"};
    return std::ranges::any_of(kReserved, [&](std::string_view reserved) { return within(key, reserved); });
}

bool within(std::string_view key, std::string_view prefix) {
    return key.starts_with(prefix) && (key.size() == prefix.size() || key[prefix.size()] == '.');
}

bool is_next(std::string_view key) {
    return key.starts_with(kNextPrefix);
}

std::string next_key(std::string_view key) {
    return std::string(kNextPrefix).append(key);
}

std::string_view without_next(std::string_view key) {
    return is_next(key) ? key.substr(kNextPrefix.size()) : key;
}

bool is_end_flag(std::string_view key) {
    return key == "terminated" || key == "truncated";
}

std::string join_keys(std::string_view prefix, std::string_view key) {
    return prefix.empty() ? std::string(key) : std::string(prefix) + "." + std::string(key);
}

}  // namespace tenon
