// SPDX-License-Identifier: Apache-2.0
// Specs in the author's form: tenon::bounded("observation", {4}, -1, 1), tenon::categorical("action", 2).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "tenon/abi/spec.h"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The types that a column's elements may have.
template <class E>
concept ColumnElement = std::same_as<E, float> || std::same_as<E, double> || std::same_as<E, std::int64_t> ||
                        std::same_as<E, std::int32_t> || std::same_as<E, std::uint8_t> || std::same_as<E, bool>;

// The C++ element type of a dtype, and the reverse.
template <class E>
constexpr std::int32_t dtype_of() {
    if constexpr (std::same_as<E, float>) {
        return TN_F32;
    } else if constexpr (std::same_as<E, double>) {
        return TN_F64;
    } else if constexpr (std::same_as<E, std::int64_t>) {
        return TN_I64;
    } else if constexpr (std::same_as<E, std::int32_t>) {
        return TN_I32;
    } else if constexpr (std::same_as<E, std::uint8_t>) {
        return TN_U8;
    } else {
        static_assert(std::same_as<E, bool>,
                      "elements must be float, double, std::int64_t, std::int32_t, std::uint8_t or bool");
        return TN_BOOL;
    }
}

inline const char* dtype_name(std::int32_t dtype) {
    switch (dtype) {
        case TN_F32:
            return "float32";
        case TN_F64:
            return "float64";
        case TN_I64:
            return "int64";
        case TN_I32:
            return "int32";
        case TN_U8:
            return "uint8";
        case TN_BOOL:
            return "bool";
        default:
            return "an unknown type";
    }
}

// Calls visit(E{}) with the element type of a dtype.
template <class Visit>
decltype(auto) with_dtype(std::int32_t dtype, Visit&& visit) {
    switch (dtype) {
        case TN_F32:
            return visit(float{});
        case TN_F64:
            return visit(double{});
        case TN_I64:
            return visit(std::int64_t{});
        case TN_I32:
            return visit(std::int32_t{});
        case TN_U8:
            return visit(std::uint8_t{});
        case TN_BOOL:
            return visit(bool{});
        default:
            throw InvalidArgument("a column has an unknown type");
    }
}

using Shape = std::vector<std::int64_t>;

// A bound for all elements, or one for each.
struct Bounds {
    std::vector<double> values;

    template <class Number>
        requires std::integral<Number> || std::floating_point<Number>
    Bounds(Number all) : values{static_cast<double>(all)} {}
    Bounds(std::initializer_list<double> each) : values(each) {}
    Bounds(std::vector<double> each) : values(std::move(each)) {}
};

struct Spec {
    std::string key;
    std::int32_t kind = TN_SPEC_UNBOUNDED;
    std::int32_t role = 0;  // set from the place where the spec is listed
    std::int32_t dtype = TN_F32;
    Shape shape;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<std::int64_t> categories;
    std::string group = {};        // of agents; see of_group
    std::uint32_t flags = 0;       // of a row of tokens; see text
    std::source_location at = {};  // where the author made it

    [[nodiscard]] std::int64_t elements() const {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) {
            count *= extent;
        }
        return count;
    }
};

inline Spec unbounded(std::string key, Shape shape = {}, std::int32_t dtype = TN_F32,
                      std::source_location at = std::source_location::current()) {
    return {.key = std::move(key),
            .dtype = dtype,
            .shape = std::move(shape),
            .low = {},
            .high = {},
            .categories = {},
            .group = {},
            .flags = 0,
            .at = at};
}

inline Spec bounded(std::string key, Shape shape, Bounds low, Bounds high, std::int32_t dtype = TN_F32,
                    std::source_location at = std::source_location::current()) {
    Spec spec = unbounded(std::move(key), std::move(shape), dtype, at);
    spec.kind = TN_SPEC_BOUNDED;
    spec.low = std::move(low.values);
    spec.high = std::move(high.values);
    return spec;
}

inline Spec categorical(std::string key, std::int64_t choices,
                        std::source_location at = std::source_location::current()) {
    Spec spec = unbounded(std::move(key), {}, TN_I64, at);
    spec.kind = TN_SPEC_CATEGORICAL;
    spec.categories = {choices};
    return spec;
}

inline Spec one_hot(std::string key, std::int64_t choices, std::source_location at = std::source_location::current()) {
    Spec spec = unbounded(std::move(key), {choices}, TN_BOOL, at);
    spec.kind = TN_SPEC_ONE_HOT;
    spec.categories = {choices};
    return spec;
}

inline Spec multi_categorical(std::string key, std::vector<std::int64_t> choices,
                              std::source_location at = std::source_location::current()) {
    Spec spec = unbounded(std::move(key), {static_cast<std::int64_t>(choices.size())}, TN_I64, at);
    spec.kind = TN_SPEC_MULTI_CATEGORICAL;
    spec.categories = std::move(choices);
    return spec;
}

// A row of `most` tokens out of `vocabulary`, of which KEY_length says how many there are: the first ones of the row.
// The env has text_length(of_it) among its columns, too.
inline Spec text(std::string key, std::int64_t most, std::int64_t vocabulary,
                 std::source_location at = std::source_location::current()) {
    Spec spec = multi_categorical(std::move(key), std::vector(static_cast<std::size_t>(most), vocabulary), at);
    spec.flags = TN_SPEC_TEXT;
    return spec;
}

// The same with the tokens at the end of the row, as a prompt has them that an answer follows.
inline Spec prompt(std::string key, std::int64_t most, std::int64_t vocabulary,
                   std::source_location at = std::source_location::current()) {
    Spec spec = text(std::move(key), most, vocabulary, at);
    spec.flags |= TN_SPEC_TEXT_LAST;
    return spec;
}

// The column with the number of tokens of a text.
inline Spec text_length(const Spec& text) {
    return categorical(text.key + "_length", text.shape.back() + 1, text.at);
}

inline Spec binary(std::string key, Shape shape, std::source_location at = std::source_location::current()) {
    Spec spec = unbounded(std::move(key), std::move(shape), TN_BOOL, at);
    spec.kind = TN_SPEC_BINARY;
    return spec;
}

// The column that each agent of a group has, as one column of the env: of_group("agents", 3, unbounded("observation",
// {18})) is "agents.observation" of the shape {3, 18}.
inline Spec of_group(const std::string& group, std::int64_t agents, Spec of_one) {
    const auto repeat = [&](std::vector<double>& bounds) {
        const std::vector<double> once = bounds;
        for (std::int64_t agent = 1; once.size() > 1 && agent < agents; ++agent) {
            bounds.insert(bounds.end(), once.begin(), once.end());
        }
    };
    repeat(of_one.low);
    repeat(of_one.high);
    of_one.key = group + "." + of_one.key;
    of_one.shape.insert(of_one.shape.begin(), agents);
    of_one.group = group;
    return of_one;
}

// Copies a spec that the other side published.
inline Spec read_spec(const tn_spec& spec) {
    return {.key = std::string(to_view(spec.key)),
            .kind = spec.kind,
            .role = spec.role,
            .dtype = spec.dtype,
            .shape = Shape(spec.shape, spec.shape + spec.rank),
            .low = std::vector<double>(spec.low, spec.low + spec.bound_count),
            .high = std::vector<double>(spec.high, spec.high + spec.bound_count),
            .categories = std::vector<std::int64_t>(spec.categories, spec.categories + spec.category_count),
            .group = spec.struct_size >= offsetof(tn_spec, group) + sizeof(tn_str) ? std::string(to_view(spec.group))
                                                                                   : std::string(),
            .flags = spec.flags};
}

// " (drift/drift.cpp:17)" for a sentence about a spec, where the line is known.
inline std::string place_of(const Spec& spec) {
    return spec.at.line() == 0 ? ""
                               : " (" + std::string(spec.at.file_name()) + ":" + std::to_string(spec.at.line()) + ")";
}

// Throws, naming the column, if a spec is invalid.
inline void check_spec(const Spec& spec) {
    const auto require = [&](bool holds, const std::string& what) {
        if (!holds) {
            throw InvalidArgument("spec '" + spec.key + "' " + what + place_of(spec));
        }
    };
    require(!spec.key.empty(), "has no key");
    for (const std::int64_t extent : spec.shape) {
        require(extent > 0, "has an extent below 1");
    }
    const std::size_t bounds = spec.low.size();
    require(bounds == spec.high.size(), "has different numbers of lower and upper bounds");
    require(bounds <= 1 || static_cast<std::int64_t>(bounds) == spec.elements(),
            "needs one bound, or one for every element");
    for (std::size_t i = 0; i < bounds; ++i) {
        require(spec.low[i] <= spec.high[i], "has a lower bound above the upper one");
    }
    for (const std::int64_t choices : spec.categories) {
        require(choices > 0, "has a category count below 1");
    }
    const bool holds_indices = spec.kind == TN_SPEC_CATEGORICAL || spec.kind == TN_SPEC_MULTI_CATEGORICAL;
    require(!holds_indices || (spec.dtype != TN_F32 && spec.dtype != TN_F64),
            std::string("has indices of categories, which must be TN_I64, but is ") + dtype_name(spec.dtype));
}

// Specs in the form of the ABI, with the memory they point to.
class SpecTable {
public:
    SpecTable() = default;
    explicit SpecTable(std::vector<Spec> specs) : specs_(std::move(specs)) {
        for (std::size_t i = 0; i < specs_.size(); ++i) {
            check_spec(specs_[i]);
            for (std::size_t j = 0; j < i; ++j) {
                if (specs_[i].key == specs_[j].key) {
                    throw InvalidArgument("two specs have the key '" + specs_[i].key + "'");
                }
            }
        }
        for (const Spec& spec : specs_) {
            views_.push_back({.struct_size = sizeof(tn_spec),
                              .kind = spec.kind,
                              .role = spec.role,
                              .dtype = spec.dtype,
                              .key = to_str(spec.key),
                              .shape = spec.shape.empty() ? nullptr : spec.shape.data(),
                              .rank = static_cast<std::uint32_t>(spec.shape.size()),
                              .bound_count = static_cast<std::uint32_t>(spec.low.size()),
                              .low = spec.low.data(),
                              .high = spec.high.data(),
                              .categories = spec.categories.data(),
                              .category_count = static_cast<std::uint32_t>(spec.categories.size()),
                              .flags = spec.flags,
                              .group = to_str(spec.group)});
        }
        for (const tn_spec& view : views_) {
            pointers_.push_back(&view);
        }
    }
    // The views point into the vectors' memory, which a move preserves and a copy would not.
    SpecTable(SpecTable&&) = default;
    SpecTable& operator=(SpecTable&&) = default;

    [[nodiscard]] const std::vector<Spec>& specs() const { return specs_; }
    [[nodiscard]] const tn_spec* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pointers_.size()); }

private:
    std::vector<Spec> specs_;
    std::vector<tn_spec> views_;
    std::vector<const tn_spec*> pointers_;
};

}  // namespace TENON_SDK
}  // namespace tenon
