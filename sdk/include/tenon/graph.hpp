// SPDX-License-Identifier: Apache-2.0
// Values of a graph and arithmetic on them, written as in a formula: min(ratio * adv, clamp(ratio, 1 - eps, 1 + eps) *
// adv). Every operator and function records the author's line, so that the host's messages can point to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/graph.h"
#include "tenon/called_from.hpp"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The result of a node. Id 0 is poisoned: its error has been recorded, and uses of it report nothing more.
struct Value {
    tn_value id = 0;
};

namespace detail {

struct Attr {
    tn_attribute c{};

    Attr(const char* key, std::int64_t value) : Attr(key, TN_ATTRIBUTE_INT) { c.integer = value; }
    Attr(const char* key, int value) : Attr(key, static_cast<std::int64_t>(value)) {}
    Attr(const char* key, double value) : Attr(key, TN_ATTRIBUTE_FLOAT, 0) { c.real = value; }
    Attr(const char* key, const char* value) : Attr(key, TN_ATTRIBUTE_STRING, 0) { c.text = to_str(value); }
    Attr(const char* key, std::span<const std::int64_t> value) : Attr(key, TN_ATTRIBUTE_INTS, 0) {
        c.integers = value.data();
        c.count = value.size();
    }
    Attr(const char* key, std::span<const tn_str> value) : Attr(key, TN_ATTRIBUTE_STRINGS, 0) {
        c.texts = value.data();
        c.count = value.size();
    }

private:
    Attr(const char* key, std::int32_t kind, int) {
        c.struct_size = sizeof(tn_attribute);
        c.kind = kind;
        c.key = to_str(key);
    }
    Attr(const char* key, decltype(TN_ATTRIBUTE_INT) kind) : Attr(key, static_cast<std::int32_t>(kind), 0) {}
};

// Adds one node; results that it does not have are 0.
template <std::size_t N>
std::array<Value, N> emit_many(const char* op, std::uint32_t revision, std::span<const tn_value> inputs,
                               std::span<const Attr> attributes, const std::source_location& at) {
    const Build& build = *current_build();
    const tn_source source = to_source(at);
    std::array<const tn_attribute*, 12> pointers{};
    for (std::size_t i = 0; i < attributes.size() && i < pointers.size(); ++i) {
        pointers[i] = &attributes[i].c;
    }
    std::array<tn_value, N + 1> out{};
    tn_node node{};
    node.struct_size = sizeof(tn_node);
    node.op = build.api->find_op(build.graph, op, revision);
    node.in = inputs.data();
    node.in_count = static_cast<std::uint32_t>(inputs.size());
    node.attributes = pointers.data();
    node.attribute_count = static_cast<std::uint32_t>(attributes.size());
    node.out = out.data();
    node.out_capacity = N;
    node.source = &source;
    build.api->emit(build.graph, &node);
    std::array<Value, N> values{};
    for (std::size_t i = 0; i < N; ++i) {
        values[i].id = out[i];
    }
    return values;
}

inline Value emit_one(const char* op, std::span<const tn_value> inputs, std::span<const Attr> attributes,
                      const std::source_location& at) {
    return emit_many<1>(op, 1, inputs, attributes, at)[0];
}

}  // namespace detail

// The type of a value: rank, sizes and dtype. Rank 0 for a poisoned value.
inline tn_type type_of(Value value) {
    tn_type out{};
    out.struct_size = sizeof(tn_type);
    const detail::Build& build = *detail::current_build();
    if (build.api->type_of(build.graph, value.id, &out) != TN_OK) {
        out.rank = 0;
    }
    return out;
}

namespace detail {

// A number as a node: real, unless it is a whole one that a double does not hold exactly.
template <class Number>
tn_value constant_of(Number number, const std::source_location& at) {
    if constexpr (std::is_integral_v<Number> && sizeof(Number) == sizeof(std::int64_t)) {
        constexpr Number kExact = Number{1} << 53U;
        const bool whole = number > kExact || (std::is_signed_v<Number> && number < Number{0} - kExact);
        if (whole && (std::is_signed_v<Number> || number >> 63U == 0)) {
            return emit_one("int_constant", {}, std::array{Attr("value", static_cast<std::int64_t>(number))}, at).id;
        }
    }
    return emit_one("constant", {}, std::array{Attr("value", static_cast<double>(number))}, at).id;
}

}  // namespace detail

// An integer, exact to 64 bits. An op of it and int values gives int; with a plain number instead, it gives real.
inline Value whole(std::int64_t number, std::source_location at = std::source_location::current()) {
    return detail::emit_one("int_constant", {}, std::array{detail::Attr("value", number)}, at);
}

// An operand: a value, or a number of any arithmetic type, which becomes a constant. The implicit conversion records
// the author's line.
struct In {
    tn_value id;
    std::source_location at;

    In(Value value, std::source_location where = std::source_location::current()) : id(value.id), at(where) {}
    template <class Number>
        requires std::is_convertible_v<Number, double>
    In(Number number, std::source_location where = std::source_location::current())
        : id(detail::constant_of(number, where)), at(where) {}
};

namespace detail {

inline Value emit(const char* op, std::uint32_t revision, std::initializer_list<In> inputs,
                  std::initializer_list<Attr> attributes = {}) {
    std::vector<tn_value> ids;
    for (const In& input : inputs) {
        ids.push_back(input.id);
    }
    return emit_many<1>(op, revision, ids, attributes, inputs.begin()->at)[0];
}

inline Value emit(const char* op, std::uint32_t revision, const std::vector<In>& inputs,
                  std::initializer_list<Attr> attributes, const std::source_location& at) {
    std::vector<tn_value> ids;
    for (const In& input : inputs) {
        ids.push_back(input.id);
    }
    return emit_many<1>(op, revision, ids, attributes, at)[0];
}

// Whether the value has a dimension from `first` down to before `end`; true for a poisoned value.
inline bool has_dimension(Value x, std::int64_t first, std::int64_t end) {
    const tn_type type = type_of(x);
    return x.id == 0 ||
           std::any_of(type.dim, type.dim + type.rank, [&](std::int64_t dim) { return dim <= first && dim > end; });
}

// Whether the value belongs to a network with several members; true for a poisoned value.
inline bool has_members(Value x) {
    return has_dimension(x, TN_DIM_FIRST_DERIVED, TN_DIM_FIRST_GROUP);
}

}  // namespace detail
}  // namespace TENON_SDK
}  // namespace tenon

#include "tenon/generated/ops.hpp"

namespace tenon {
inline namespace TENON_SDK {

inline Value operator+(In a, In b) {
    return detail::emit("add", 1, {a, b});
}
inline Value operator-(In a, In b) {
    return detail::emit("sub", 1, {a, b});
}
inline Value operator*(In a, In b) {
    return detail::emit("mul", 1, {a, b});
}
inline Value operator/(In a, In b) {
    return detail::emit("div", 1, {a, b});
}
inline Value operator-(In a) {
    return detail::emit("neg", 1, {a});
}
inline Value operator<(In a, In b) {
    return detail::emit("lt", 1, {a, b});
}
inline Value operator<=(In a, In b) {
    return detail::emit("le", 1, {a, b});
}
inline Value operator>(In a, In b) {
    return detail::emit("gt", 1, {a, b});
}
inline Value operator>=(In a, In b) {
    return detail::emit("ge", 1, {a, b});
}
// Comparisons add nodes, as the other operators do. A Value does not convert to bool, so `if (a == b)` does not compile
// and cannot compare the two handles by mistake.
inline Value operator==(In a, In b) {
    return detail::emit("eq", 1, {a, b});
}
inline Value operator!=(In a, In b) {
    return detail::emit("ne", 1, {a, b});
}
// For bool values; both sides are computed.
inline Value operator&&(In a, In b) {
    return detail::emit("and", 1, {a, b});
}
inline Value operator||(In a, In b) {
    return detail::emit("or", 1, {a, b});
}
inline Value operator!(In x) {
    return detail::emit("not", 1, {x});
}

// The gradient of a value of one number a row with respect to another value, as a value that may be differentiated
// again: a gradient penalty, for example.
inline Value gradient(In of, In wrt) {
    return detail::emit("gradient", 1, {of, wrt});
}

inline Value min(In a, In b) {
    return detail::emit("minimum", 1, {a, b});
}
inline Value max(In a, In b) {
    return detail::emit("maximum", 1, {a, b});
}

}  // namespace TENON_SDK
}  // namespace tenon
