// SPDX-License-Identifier: Apache-2.0
// The operands of the adjoints in ops.toml: values of a graph with arithmetic operators.
#pragma once

#include <cstdint>
#include <vector>

#include "gradient/extension.hpp"

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

V where(V condition, V a, V b);
V pow(V base, V exponent);
V exp(V x);
V log(V x);
V sin(V x);
V cos(V x);
V sign(V x);
V sigmoid(V x);
V sum(V x, std::int64_t axis);
V unsqueeze(V x, std::int64_t axis);
V squeeze(V x, std::int64_t axis);
V transpose(V x);
V reshape(V x, std::vector<std::int64_t> shape);
V one_hot(V index, std::int64_t n);
V linear(V x, V weight);
V batch_mean(V x);
V scan_linear(V decay, V x, std::int64_t reverse);
V expand_like(V x, V like);
V repeats(V x, V of);
V linear_weight(V g, V x, V like);
V pad(V x, std::int64_t start, std::int64_t width);
V place(V x, V like, std::int64_t index);
V put_along(V x, V index, std::int64_t axis, std::int64_t size);
V take_along(V x, V index, std::int64_t axis);
V uncollect(V x, V like);
V unpatch(V g, V like, std::int64_t height, std::int64_t width, std::int64_t stride, std::int64_t padding);
V shift_time(V x, std::int64_t by);

// 1 for the elements of x that equal y, the result of a reduction along the axis (which has size 1 in y); equal
// elements share it.
V chosen(V x, V y, std::int64_t axis);
V chosen_member(V x, V y);

std::vector<std::int64_t> sizes(V x);
std::int64_t last_size(V x);
std::int64_t size_at(V x, std::int64_t axis);  // counted from the end, for example -1

}  // namespace tenon::graph
