// SPDX-License-Identifier: Apache-2.0
// The operands of the adjoints in ops.toml: values of a graph with arithmetic operators.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "compute/gradient/extension.hpp"

namespace tenon::graph {

struct V {
    Extension* in = nullptr;
    ValueId id = 0;

    V() = default;
    V(Extension* extension, ValueId value) : in(extension), id(value) {}
    // A number becomes a node when it is combined with a value.
    V(double value) : number(value) {}

    double number = 0;
};

V operator+(V a, V b);
V operator-(V a, V b);
V operator*(V a, V b);
V operator/(V a, V b);
V operator-(V x);
V operator==(V a, V b);
V operator<(V a, V b);
V operator<=(V a, V b);
V operator>(V a, V b);
V operator>=(V a, V b);
V operator&&(V a, V b);
V operator||(V a, V b);

// A node of that op; numbers among the inputs become nodes.
V emit(OpId op, std::initializer_list<V> inputs, std::vector<Attribute> attributes = {});

#include "compute/gradient/generated/expressions.inc"

// 1 for the elements of x that equal y, the result of a reduction along the axis (which has size 1 in y); equal
// elements share it.
V chosen(V x, V y, std::int64_t axis);
V chosen_member(V x, V y);

std::vector<std::int64_t> sizes(V x);
std::int64_t last_size(V x);
std::int64_t size_at(V x, std::int64_t axis);  // counted from the end, for example -1

}  // namespace tenon::graph
