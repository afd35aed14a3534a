// SPDX-License-Identifier: Apache-2.0
// The operands of the adjoints in ops.toml: values of a graph with arithmetic operators.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "compute/gradient/extension.hpp"

namespace tenon::graph {

struct V;

// A node of that op; numbers among the inputs become nodes.
V emit(OpId op, std::initializer_list<V> inputs, std::vector<Attribute> attributes = {});

struct V {
    Extension* in = nullptr;
    ValueId id = 0;

    V() = default;
    V(Extension* extension, ValueId value) : in(extension), id(value) {}
    // A number becomes a node when it is combined with a value.
    V(double value) : number(value) {}

    double number = 0;

    friend V operator+(V a, V b) { return emit(OpId::kAdd_1, {a, b}); }
    friend V operator-(V a, V b) { return emit(OpId::kSub_1, {a, b}); }
    friend V operator*(V a, V b) { return emit(OpId::kMul_1, {a, b}); }
    friend V operator/(V a, V b) { return emit(OpId::kDiv_1, {a, b}); }
    friend V operator-(V x) { return emit(OpId::kNeg_1, {x}); }
    friend V operator==(V a, V b) { return emit(OpId::kEq_1, {a, b}); }
    friend V operator<(V a, V b) { return emit(OpId::kLt_1, {a, b}); }
    friend V operator<=(V a, V b) { return emit(OpId::kLe_1, {a, b}); }
    friend V operator>(V a, V b) { return emit(OpId::kGt_1, {a, b}); }
    friend V operator>=(V a, V b) { return emit(OpId::kGe_1, {a, b}); }
    friend V operator&&(V a, V b) { return emit(OpId::kAnd_1, {a, b}); }
    friend V operator||(V a, V b) { return emit(OpId::kOr_1, {a, b}); }
};

#include "compute/gradient/generated/expressions.inc"

// 1 for the elements of x that equal y, the result of a reduction along the axis (which has size 1 in y); equal
// elements share it.
V chosen(V x, V y, std::int64_t axis);
V chosen_member(V x, V y);

std::vector<std::int64_t> sizes(V x);
std::int64_t last_size(V x);
std::int64_t size_at(V x, std::int64_t axis);  // counted from the end, for example -1

}  // namespace tenon::graph
