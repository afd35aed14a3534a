// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/column_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/data/spec_values.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

constexpr std::string_view kFinite = " is not finite; observations are finite numbers";

std::string named(const Spec& spec) {
    return "the observation '" + spec.key + "'";
}

std::string shape_text(const Spec& spec) {
    return spec.shape.rank == 0 ? "a single number" : to_string(spec.shape);
}

// "[4], or rows of it"
std::string expected(const Spec& spec) {
    return "the policy takes " + shape_text(spec) +
           (spec.shape.rank == 0 ? ", or a list of them" : ", or a list of such rows");
}

template <class T>
bool store(T value, std::byte*& to) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
    return true;
}

// Reads digits as a number of the type; `fault` says why they are none.
template <class T>
bool store_number(std::string_view digits, const Spec& spec, std::byte*& to, std::string& fault) {
    if constexpr (std::is_floating_point_v<T>) {
        T value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec == std::errc::result_out_of_range) {  // nearly 0, or nearly infinite
            const std::size_t exponent = digits.find_first_of("eE");
            const bool is_small = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
            value = is_small ? T{0} : std::numeric_limits<T>::infinity();
        }
        if (digits.ends_with('N') || digits.ends_with('y') || !std::isfinite(value)) {
            fault = named(spec) + " has " + std::string(digits) + ", which" + std::string(kFinite);
            return false;
        }
        return store(value, to);
    } else {
        const char* const end = digits.data() + digits.size();
        std::int64_t value = 0;
        auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec != std::errc{} || read.ptr != end) {
            double real = 0;  // 1.0 is a whole number, too
            read = std::from_chars(digits.data(), digits.data() + digits.size(), real);
            const bool whole = read.ec == std::errc{} && read.ptr == end && std::trunc(real) == real &&
                               std::abs(real) <= 9007199254740992.0;
            value = whole ? static_cast<std::int64_t>(real) : std::numeric_limits<std::int64_t>::max();
            if (!whole) {
                fault = named(spec) + " has " + std::string(digits.substr(0, 40)) + ", but its numbers are " +
                        std::string(name_of(spec.dtype));
                return false;
            }
        }
        if (value < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
            value > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
            fault = named(spec) + " has " + std::to_string(value) + ", but its numbers are " +
                    std::string(name_of(spec.dtype));
            return false;
        }
        return store(static_cast<T>(value), to);
    }
}

struct Reader {
    JsonCursor& cursor;
    const Spec& spec;
    std::string& fault;
    std::byte* to = nullptr;

    bool element() {
        const char c = cursor.peek();
        if (c == 't' || c == 'f') {
            const std::optional<bool> value = cursor.boolean();
            if (value && spec.dtype != DType::kBool) {
                fault = named(spec) + " has " + (*value ? "true" : "false") + ", but its numbers are " +
                        std::string(name_of(spec.dtype));
                return false;
            }
            return value && store(static_cast<std::uint8_t>(*value), to);
        }
        if (c == '[' || c == '"' || c == '{' || c == 'n') {
            fault = named(spec) + " has " +
                    (c == '['   ? "a list"
                     : c == '"' ? "a text"
                     : c == '{' ? "an object"
                                : "null") +
                    " in place of a number; " + expected(spec);
            return false;
        }
        const std::optional<std::string_view> digits = cursor.number();
        return digits && with_element(spec.dtype, [&](auto zero) {
                   return store_number<decltype(zero)>(*digits, spec, to, fault);
               });
    }

    // NOLINTNEXTLINE(misc-no-recursion): as deep as the shape
    bool dimension(std::uint32_t dim) {
        if (dim == spec.shape.rank) {
            return element();
        }
        if (cursor.peek() != '[') {
            if (cursor.peek() != '\0') {
                fault = named(spec) + " has too few dimensions; " + expected(spec);
            }
            return false;
        }
        cursor.enter_array();
        std::int64_t count = 0;
        while (cursor.next_element()) {
            if (count++ == spec.shape[dim]) {
                return wrong_length(dim, "more than " + std::to_string(spec.shape[dim]));
            }
            if (!dimension(dim + 1)) {
                return false;
            }
        }
        return !cursor.failed() && (count == spec.shape[dim] || wrong_length(dim, std::to_string(count)));
    }

    bool wrong_length(std::uint32_t dim, const std::string& count) {
        fault = named(spec) + " has " + count + " elements in dimension " + std::to_string(dim) + " of a row; " +
                expected(spec);
        return false;
    }

    bool row() {
        const std::byte* const begin = to;
        if (!dimension(0)) {
            return false;
        }
        fault = fault_of_row(spec, begin);
        return fault.empty();
    }
};

template <class T>
void write_element(JsonWriter& json, const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
        json.number(static_cast<double>(value));
    } else {
        json.integer(value);
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the shape
void write_dimension(JsonWriter& json, const Spec& spec, std::uint32_t dim, const std::byte*& from) {
    if (dim == spec.shape.rank) {
        if (spec.dtype == DType::kBool) {
            json.boolean(*from != std::byte{0});
        } else {
            with_element(spec.dtype, [&](auto zero) { write_element<decltype(zero)>(json, from); });
        }
        from += size_of(spec.dtype);
        return;
    }
    json.begin_array();
    for (std::int64_t i = 0; i < spec.shape[dim]; ++i) {
        write_dimension(json, spec, dim + 1, from);
    }
    json.end_array();
}

// The first number of a row that is no category, such as a token outside of the vocabulary.
std::string fault_of_categories(const Spec& spec, const std::byte* row, std::size_t elements) {
    if (spec.kind != SpecKind::kCategorical && spec.kind != SpecKind::kMultiCategorical) {
        return "";
    }
    return with_element(spec.dtype, [&](auto zero) -> std::string {
        for (std::size_t i = 0; i < elements; ++i) {
            auto number = zero;
            std::memcpy(&number, row + i * sizeof number, sizeof number);
            const auto category = static_cast<std::int64_t>(number);
            const std::int64_t most = spec.categories[i % spec.categories.size()] - 1;
            if (category < 0 || category > most) {
                return named(spec) + " has " + std::to_string(category) +
                       (elements > 1 ? " as number " + std::to_string(i + 1) + " of a row" : "") +
                       ", but its categories are 0 to " + std::to_string(most);
            }
        }
        return "";
    });
}

}  // namespace

std::size_t row_bytes(const Spec& spec) {
    return static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
}

std::string fault_of_row(const Spec& spec, const std::byte* row) {
    const auto elements = static_cast<std::size_t>(spec.shape.elements());
    const auto is_finite = [&]<class Real>(Real zero) {
        for (std::size_t i = 0; i < elements; ++i) {
            Real value = zero;
            std::memcpy(&value, row + i * sizeof value, sizeof value);
            if (!std::isfinite(value)) {
                return false;
            }
        }
        return true;
    };
    if (is_float(spec.dtype) && !(spec.dtype == DType::kF32 ? is_finite(0.0F) : is_finite(0.0))) {
        return named(spec) + " has a number that" + std::string(kFinite);
    }
    if (spec.dtype == DType::kBool && std::any_of(row, row + elements, [](std::byte b) { return b > std::byte{1}; })) {
        return named(spec) + " has a byte that is neither 0 nor 1, but its type is bool";
    }
    if (const std::string fault = fault_of_categories(spec, row, elements); !fault.empty()) {
        return fault;
    }
    const bool is_choice = spec.kind != SpecKind::kBounded && spec.kind != SpecKind::kUnbounded;
    return !is_choice || contains(spec, row) ? "" : "a row of " + named(spec) + " is none of " + to_string(spec);
}

std::optional<ReadRows> read_rows(JsonCursor& cursor, const Spec& spec, std::uint32_t most, std::string& fault) {
    cursor.peek();  // skips spaces
    const std::uint32_t nesting = cursor.nesting();
    const char c = cursor.peek();
    if (nesting == 0 && std::string_view("\"{tfnNI-0123456789").find(c) == std::string_view::npos) {
        cursor.skip();  // fails: this is no JSON
        return std::nullopt;
    }
    if (nesting != spec.shape.rank && nesting != spec.shape.rank + 1) {
        fault = named(spec) +
                (nesting == 0 ? " is no list; " : " is a list of " + counted(nesting, "dimension") + "; ") +
                expected(spec);
        return std::nullopt;
    }
    ReadRows out{.count = 0, .single = nesting == spec.shape.rank, .bytes = {}};
    const std::size_t bytes = row_bytes(spec);
    Reader reader{cursor, spec, fault};
    const auto read_one = [&] {
        out.bytes.resize(out.bytes.size() + bytes);
        reader.to = out.bytes.data() + (out.bytes.size() - bytes);
        ++out.count;
        return reader.row();
    };
    if (out.single) {
        return read_one() ? std::optional(std::move(out)) : std::nullopt;
    }
    cursor.enter_array();
    while (cursor.next_element()) {
        if (out.count == most) {
            fault = "a request has at most " + counted(most, "row");
            return std::nullopt;
        }
        if (!read_one()) {
            return std::nullopt;
        }
    }
    return cursor.failed() ? std::nullopt : std::optional(std::move(out));
}

void write_rows(JsonWriter& json, const Spec& spec, std::span<const std::byte> rows, bool single) {
    const std::byte* from = rows.data();
    if (single) {
        write_dimension(json, spec, 0, from);
        return;
    }
    json.begin_array();
    while (from != rows.data() + rows.size()) {
        write_dimension(json, spec, 0, from);
    }
    json.end_array();
}

}  // namespace tenon
