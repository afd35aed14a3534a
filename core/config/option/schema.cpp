// SPDX-License-Identifier: Apache-2.0
#include "config/option/schema.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/error/listed.hpp"
#include "config/option/byte_size.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"bool", "int",    "float",   "string",
                                                    "ints", "floats", "strings", "table"};
constexpr std::array<std::string_view, 8> kPhrases = {
    "a bool", "an int", "a float", "a string", "a list of ints", "a list of floats", "a list of strings", "a table"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

std::optional<double> parse_bound(std::string_view text) {
    text = trimmed(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || std::isnan(value)) {
        return std::nullopt;
    }
    return value;
}

std::string quoted(const std::string& word) {
    return "'" + word + "'";
}

// What is wrong with one element; empty if nothing is.
template <class T>
std::string fault_of(const OptionSchema& schema, const T& element) {
    if constexpr (std::is_same_v<T, std::string>) {
        for (const std::string& choice : schema.choices) {
            if (choice == element) {
                return {};
            }
        }
        if (schema.choices.empty()) {
            return {};
        }
        return " must be " + either(schema.choices, quoted) + ", but is '" + element + "'" +
               did_you_mean(element, {schema.choices.begin(), schema.choices.end()});
    } else if constexpr (std::is_same_v<T, bool>) {
        return {};
    } else {
        const std::optional<Range> range = parse_range(schema.range);
        if (!range || range->contains(element)) {
            return {};
        }
        return " must be in " + schema.range + ", but is " + to_toml(element);
    }
}

Result<OptionValue> check(const OptionSchema& schema, OptionValue value, std::string_view subject) {
    std::string fault = std::visit(
        [&](const auto& given) -> std::string {
            using Given = std::decay_t<decltype(given)>;
            if constexpr (std::is_arithmetic_v<Given> || std::is_same_v<Given, std::string>) {
                return fault_of(schema, given);
            } else if constexpr (std::is_same_v<Given, OptionTable>) {
                return {};
            } else {
                for (std::size_t i = 0; i < given.size(); ++i) {
                    if (std::string text = fault_of(schema, given[i]); !text.empty()) {
                        return "[" + std::to_string(i) + "]" + text;
                    }
                }
                return {};
            }
        },
        value);
    if (!fault.empty()) {
        return input_problem(std::string(subject) + fault);
    }
    return value;
}

template <class T>
std::string list_to_toml(const std::vector<T>& list) {
    return "[" + listed(list, [](const T& element) { return to_toml(element); }) + "]";
}

}  // namespace

std::optional<Range> parse_range(std::string_view text) {
    text = trimmed(text);
    const std::size_t comma = text.find(',');
    if (text.size() < 3 || comma == std::string_view::npos || (text.front() != '[' && text.front() != '(') ||
        (text.back() != ']' && text.back() != ')')) {
        return std::nullopt;
    }
    const std::optional<double> low = parse_bound(text.substr(1, comma - 1));
    const std::optional<double> high = parse_bound(text.substr(comma + 1, text.size() - comma - 2));
    if (!low || !high || *low > *high) {
        return std::nullopt;
    }
    return Range{.low = *low, .high = *high, .low_open = text.front() == '(', .high_open = text.back() == ')'};
}

std::string_view name_of(OptionType type) {
    return kNames[static_cast<std::size_t>(type)];
}

std::string_view phrase_of(OptionType type) {
    return kPhrases[static_cast<std::size_t>(type)];
}

std::string phrase_of(const OptionSchema& schema) {
    return std::string(phrase_of(schema.type)) + (schema.or_bytes ? ", or bytes such as \"2 GB\" or \"512 MiB\"" : "");
}

OptionType type_of(const OptionValue& value) {
    return static_cast<OptionType>(value.index());
}

bool is_list(OptionType type) {
    return type >= OptionType::kInts && type <= OptionType::kStrings;
}

// Types of lists have the order of the types of their elements.
OptionType element_of(OptionType list) {
    constexpr int kApart = static_cast<int>(OptionType::kInts) - static_cast<int>(OptionType::kInt);
    return is_list(list) ? static_cast<OptionType>(static_cast<int>(list) - kApart) : list;
}

std::optional<OptionType> option_type(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) {
            return static_cast<OptionType>(i);
        }
    }
    return std::nullopt;
}

Result<OptionValue> conform(const OptionSchema& schema, const OptionValue& value, std::string_view subject) {
    if (type_of(value) == schema.type) {
        return check(schema, value, subject);
    }
    if (const auto* text = std::get_if<std::string>(&value); text && schema.or_bytes) {
        return parse_byte_size(*text)
                   ? Result(value)
                   : Result<OptionValue>(input_problem(std::string(subject) + " must be " + phrase_of(schema) +
                                                       ", but is \"" + *text + "\""));
    }
    if (is_list(schema.type) && to_toml(value) == "[]") {
        return schema.type == OptionType::kInts     ? OptionValue(std::vector<std::int64_t>())
               : schema.type == OptionType::kFloats ? OptionValue(std::vector<double>())
                                                    : OptionValue(std::vector<std::string>());
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value); whole && schema.type == OptionType::kFloat) {
        return check(schema, static_cast<double>(*whole), subject);
    }
    if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value);
        wholes && schema.type == OptionType::kFloats) {
        return check(schema, std::vector<double>(wholes->begin(), wholes->end()), subject);
    }
    return input_problem(std::string(subject) + " must be " + phrase_of(schema) + ", but is " +
                         std::string(phrase_of(type_of(value))));
}

std::string to_toml(const OptionValue& value) {
    return std::visit(
        [](const auto& given) -> std::string {
            using Given = std::decay_t<decltype(given)>;
            if constexpr (std::is_same_v<Given, bool>) {
                return given ? "true" : "false";
            } else if constexpr (std::is_same_v<Given, std::int64_t>) {
                return std::to_string(given);
            } else if constexpr (std::is_same_v<Given, double>) {
                return toml_float(given);
            } else if constexpr (std::is_same_v<Given, std::string>) {
                return toml_string(given);
            } else if constexpr (std::is_same_v<Given, OptionTable>) {
                return given.toml;
            } else {
                return list_to_toml(given);
            }
        },
        value);
}

}  // namespace tenon
