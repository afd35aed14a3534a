// SPDX-License-Identifier: Apache-2.0
// Layers for policies: dense layers with the customary initial values, and stacks of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct DenseInit {
    Init weight;
    Init bias;
};

// PyTorch's default for a linear layer with this number of inputs: uniform within 1/sqrt(inputs).
inline DenseInit default_init(std::int64_t inputs) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
    return {uniform(bound), uniform(bound)};
}

inline DenseInit orthogonal_init(double gain) {
    return {orthogonal(gain), zeros()};
}

// x [.., in] -> [.., width], with parameters NAME.weight and NAME.bias.
inline Value dense(const Graph& g, const std::string& name, Value x, std::int64_t width, DenseInit init,
                   std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t inputs = last_size(x);
    const Value weight = g.parameter((name + ".weight").c_str(), {width, inputs}, init.weight);
    const Value bias = g.parameter((name + ".bias").c_str(), {width}, init.bias);
    return linear(x, weight, bias);
}

// The names that `activate` knows, as the choices of an option. Each is PyTorch's function with its defaults; gelu is
// the exact one and gelu_tanh its approximation (approximate="tanh"; "gelu_new" of GPT-2), leaky_relu has a slope of
// 0.01 and elu an alpha of 1.
inline constexpr std::string_view kActivations =
    "tanh|relu|elu|gelu|gelu_tanh|leaky_relu|mish|silu|sigmoid|softplus|identity";

// One of kActivations by name; anything else leaves x as it is.
inline Value activate(const std::string& activation, Value x,
                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (activation == "tanh") {
        return tanh(x);
    }
    if (activation == "relu") {
        return relu(x);
    }
    if (activation == "elu") {
        return relu(x) + expm1(where(x > 0, 0.0, x));  // at 0 the gradient is that of expm1, 1
    }
    if (activation == "gelu") {
        return 0.5 * x * (1 + erf((1 / std::numbers::sqrt2) * x));
    }
    if (activation == "gelu_tanh") {
        const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
        return 0.5 * x * (1 + tanh(scale * x * (1 + 0.044715 * square(x))));
    }
    if (activation == "leaky_relu") {
        return where(x > 0, x, 0.01 * x);
    }
    if (activation == "mish") {
        return x * tanh(softplus(x));
    }
    if (activation == "silu") {
        return x * sigmoid(x);
    }
    if (activation == "sigmoid") {
        return sigmoid(x);
    }
    return activation == "softplus" ? softplus(x) : x;
}

// Columns concatenated along their last size; a column without one counts as size 1.
inline Value join(const std::vector<Value>& columns, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    std::vector<In> parts;
    for (const Value& column : columns) {
        const tn_type type = type_of(column);
        const bool flat = type.rank == 0 || type.dim[type.rank - 1] < 0;
        parts.emplace_back(flat ? unsqueeze(column) : column);
    }
    return parts.size() == 1 ? Value{parts.front().id} : concat(parts);
}

// One number per element as a vector, or a scalar if all are equal.
inline Value constants(std::span<const double> values, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    bool equal = true;
    for (const double value : values) {
        equal = equal && value == values.front();
    }
    if (equal) {
        return Value{In(values.front()).id};
    }
    std::vector<In> parts;
    for (const double value : values) {
        parts.emplace_back(unsqueeze(value));
    }
    return concat(parts);
}

// The vector 0, 1, .. n - 1.
inline Value count_up(std::int64_t n, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    Value out = unsqueeze(0.0);
    for (std::int64_t have = 1; have < n; have *= 2) {
        out = concat({out, out + static_cast<double>(have)});
    }
    return slice(out, 0, n);
}

// A value of these sizes whose elements are all `value`: full({12, 64}, 0.5).
inline Value full(std::span<const std::int64_t> sizes, double value,
                  std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (sizes.empty()) {
        return Value{In(value).id};
    }
    Value out = unsqueeze(value);
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        std::int64_t have = count;
        for (count *= size; have < count; have *= 2) {
            out = concat(out, out);
        }
        out = slice(out, 0, count);
    }
    return reshape(out, sizes);
}
inline Value full(std::initializer_list<std::int64_t> sizes, double value,
                  std::source_location at = std::source_location::current()) {
    return full(std::span(sizes.begin(), sizes.size()), value, at);
}

// The same for each row of `rows`, whatever its sizes: full({12, 64}, 0.0, g.batch()["observation"]) is [.., 12, 64],
// for a scan that carries a value for each row.
inline Value full(std::span<const std::int64_t> sizes, double value, Value rows,
                  std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    Value one = cast(rows, "real");
    for (tn_type type = type_of(one); type.rank > 0 && type.dim[type.rank - 1] >= 0; type = type_of(one)) {
        one = squeeze(slice(one, 0, 1));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        one = unsqueeze(one);
    }
    const Value each = full(sizes, value);
    return where(one == one, each, each);
}
inline Value full(std::initializer_list<std::int64_t> sizes, double value, Value rows,
                  std::source_location at = std::source_location::current()) {
    return full(std::span(sizes.begin(), sizes.size()), value, rows, at);
}

}  // namespace TENON_SDK
}  // namespace tenon
