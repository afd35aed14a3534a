// SPDX-License-Identifier: Apache-2.0
// JSON as Python writes it, with the words Infinity, -Infinity and NaN.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hdf5 {

struct JsonMember;

struct Json {
    using List = std::vector<Json>;
    using Members = std::vector<JsonMember>;
    std::variant<std::monostate, bool, double, std::string, List, Members> value;

    [[nodiscard]] const Json* find(std::string_view key) const;
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
    [[nodiscard]] const double* number() const { return std::get_if<double>(&value); }
    [[nodiscard]] const List* list() const { return std::get_if<List>(&value); }
    [[nodiscard]] const Members* members() const { return std::get_if<Members>(&value); }
    // All numbers in nested lists, in order; a number alone is one.
    [[nodiscard]] std::vector<double> numbers() const;
};

struct JsonMember {
    std::string first;
    Json second;
};

// Throws tenon::InvalidArgument; `subject` begins its sentence.
Json parse_json(std::string_view text, const std::string& subject);

std::string json_text(std::string_view text);
// A number as Python's json writes it.
std::string number_text(double value, bool is_integer);

}  // namespace hdf5
