// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/table_reader.hpp"

#include <algorithm>

#include "base/error/listed.hpp"
#include "config/manifest/value.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

const std::string* text_of(const TomlNode& node) {
    const auto* const text = std::get_if<std::string>(&node.value);
    return text != nullptr && !text->empty() ? text : nullptr;
}

}  // namespace

std::string TableReader::named(std::string_view key) const {
    return (name_.empty() ? "" : name_ + ".") + std::string(key);
}

void TableReader::check_keys(const std::vector<std::string_view>& known) {
    for (const TomlEntry& entry : table_.entries) {
        if (std::ranges::find(known, entry.key) == known.end()) {
            problems_.push_back(unknown_key_problem(name_, entry.key, entry.node, known));
        }
    }
}

Place TableReader::place(std::string_view key) const {
    const TomlNode* const node = table_.find(key);
    return node != nullptr ? node->place : place_;
}

void TableReader::refuse(std::string_view key, const std::string& why) {
    problems_.push_back(input_problem(named(key) + " " + why, place(key)));
}

std::string TableReader::text(std::string_view key, std::string fallback) {
    const TomlNode* const node = table_.find(key);
    if (node == nullptr) {
        return fallback;
    }
    if (const std::string* const value = text_of(*node)) {
        return *value;
    }
    refuse(key, "must be a string that is not empty, but is " + to_toml(*node));
    return fallback;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
    const TomlNode* const node = table_.find(key);
    if (node == nullptr || node->list() == nullptr) {
        return {text(key, "")};
    }
    std::vector<std::string> out;
    for (const TomlNode& each : *node->list()) {
        const std::string* const value = text_of(each);
        if (value == nullptr || std::ranges::find(out, *value) != out.end()) {
            problems_.push_back(input_problem(
                named(key) + (value == nullptr ? " must be strings that are not empty, but one is " : " has twice ") +
                    to_toml(each),
                each.place));
            return {};
        }
        out.push_back(*value);
    }
    if (out.empty()) {
        refuse(key, "must be a string or a list of strings that is not empty");
    }
    return out;
}

std::string TableReader::one_of(std::string_view key, const std::vector<std::string_view>& names) {
    std::string out = text(key, std::string(names.front()));
    if (std::ranges::find(names, out) == names.end()) {
        refuse(key,
               "must be " + either(names, toml_string) + ", but is " + toml_string(out) + did_you_mean(out, names));
    }
    return out;
}

std::int64_t TableReader::integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
    const TomlNode* const node = table_.find(key);
    if (node == nullptr) {
        return fallback;
    }
    const auto* const value = std::get_if<std::int64_t>(&node->value);
    if (value == nullptr || *value < least || *value > most) {
        refuse(key, "must be an int from " + std::to_string(least) + " to " + std::to_string(most) + ", but is " +
                        to_toml(*node));
        return fallback;
    }
    return *value;
}

double TableReader::number(std::string_view key, double fallback, double least, double most) {
    const TomlNode* const node = table_.find(key);
    if (node == nullptr) {
        return fallback;
    }
    const auto* const integer = std::get_if<std::int64_t>(&node->value);
    const auto* const real = std::get_if<double>(&node->value);
    const double value = integer != nullptr ? static_cast<double>(*integer) : real != nullptr ? *real : std::nan("");
    if (!(value >= least && value <= most)) {
        refuse(key,
               "must be a number from " + toml_float(least) + " to " + toml_float(most) + ", but is " + to_toml(*node));
        return fallback;
    }
    return value;
}

std::vector<std::int64_t> TableReader::rising(std::string_view key) {
    std::vector<std::int64_t> out;
    const TomlNode* const node = table_.find(key);
    if (node != nullptr && node->list() != nullptr) {
        for (const TomlNode& each : *node->list()) {
            const auto* const value = std::get_if<std::int64_t>(&each.value);
            if (value == nullptr || *value <= (out.empty() ? 0 : out.back())) {
                out.clear();
                break;
            }
            out.push_back(*value);
        }
    }
    if (out.empty()) {
        refuse(key, "must be a list of rising ints above 0, such as [2_000, 6_000]");
    }
    return out;
}

}  // namespace tenon
