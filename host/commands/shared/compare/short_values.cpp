// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/group_naming.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "shared/compare/number_in.hpp"

namespace tenon {
namespace {

constexpr int kDigits = 4;

std::optional<double> as_fraction(std::string_view text) {
    return text.find_first_of(".e") == std::string_view::npos ? std::nullopt : number_in(text);
}

// A value with no more digits than that keeps its text: "10.0" does not become "10".
std::string rounded(const std::string& text, int digits) {
    const std::optional<double> value = as_fraction(text);
    if (!value) {
        return text;
    }
    std::array<char, 32> out{};
    const auto written = std::to_chars(out.data(), out.data() + out.size(), *value, std::chars_format::general, digits);
    double read = 0;
    std::from_chars(out.data(), written.ptr, read);
    return read == *value ? text : std::string(out.data(), written.ptr);
}

std::size_t count_distinct(const std::vector<std::string>& values) {
    return std::set<std::string>(values.begin(), values.end()).size();
}

}  // namespace

std::vector<std::string> short_values(const std::vector<std::string>& values) {
    const std::size_t distinct = count_distinct(values);
    for (int digits = kDigits; digits < std::numeric_limits<double>::max_digits10; ++digits) {
        std::vector<std::string> out;
        for (const std::string& value : values) {
            out.push_back(rounded(value, digits));
        }
        if (count_distinct(out) == distinct) {
            return out;
        }
    }
    return values;
}

}  // namespace tenon
