// SPDX-License-Identifier: Apache-2.0
// The schema of an option. The manifest's own tables and plugins' options use the same grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

enum class OptionType { kBool, kInt, kFloat, kString, kInts, kFloats, kStrings, kTable };

// A table of any keys and values, as text: for plugins, and for manifests (inline).
struct OptionTable {
    std::string json = "{}";
    std::string toml = "{}";
    bool operator==(const OptionTable&) const = default;
};

// The alternatives have the order of OptionType.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                                 std::vector<double>, std::vector<std::string>, OptionTable>;

// Whether a string is the path of a file or folder, which in a manifest begins at the manifest's folder.
enum class PathForm {
    kNone,
    kFile,
    kFileOrName,  // a text without '/' is a name
};

struct OptionSchema {
    std::string name;
    OptionType type = OptionType::kFloat;
    std::optional<OptionValue> standard;  // the default; none: the option must be given
    std::string range;                    // "[0,1]", "(0,inf)"; for numbers and lists of numbers; empty: anything
    std::vector<std::string> choices;     // for strings and lists of strings; empty: anything
    bool live = false;                    // read as a graph node: [schedule] may change it
    std::string help;
    bool optional = false;  // no default and not required: its absence has a meaning
    PathForm path = PathForm::kNone;
    bool or_bytes = false;  // an int that may also be given as a number of bytes, a string (byte_size.hpp)
};

struct Range {
    double low;
    double high;
    bool low_open;
    bool high_open;

    // In long double, which holds every int64 and every double exactly.
    [[nodiscard]] bool contains(long double x) const {
        return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
    }
};

// Reads "[0,1]", "(0,inf)", "[-1,1)"; nothing if the text is not a range.
std::optional<Range> parse_range(std::string_view text);

// What a value must be, in messages: "an int, or bytes such as \"2 GB\"".
std::string phrase_of(const OptionSchema& schema);

std::string_view name_of(OptionType type);    // in notes and references: "ints"
std::string_view phrase_of(OptionType type);  // in messages: "a list of ints"
OptionType type_of(const OptionValue& value);
bool is_list(OptionType type);
OptionType element_of(OptionType list);
std::optional<OptionType> option_type(std::string_view name);

// Converts the value to the schema's type: an integer may stand for a float, and an empty list for any list. A number
// of bytes stays a string. The problem's sentence begins with `subject` ("objective.gamma") and says what is wrong and
// what is allowed; the caller sets its place.
Result<OptionValue> conform(const OptionSchema& schema, const OptionValue& value, std::string_view subject);

// In TOML syntax, floats in the shortest form that reads back to the same bits.
std::string to_toml(const OptionValue& value);

}  // namespace tenon
