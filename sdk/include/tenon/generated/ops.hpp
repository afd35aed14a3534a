// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate/ops.py from core/compute/graph/ops.toml; do not edit.
// Included by tenon/graph.hpp, which defines Value, In and detail::emit.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <vector>

namespace tenon {
inline namespace TENON_SDK {

// a + b
inline Value add(In a, In b) {
    return detail::emit("add", 1, {a, b});
}

// a - b
inline Value sub(In a, In b) {
    return detail::emit("sub", 1, {a, b});
}

// a * b
inline Value mul(In a, In b) {
    return detail::emit("mul", 1, {a, b});
}

// a / b; the real quotient, for integers too
inline Value div(In a, In b) {
    return detail::emit("div", 1, {a, b});
}

// base to the power of exponent
inline Value pow(In base, In exponent) {
    return detail::emit("pow", 1, {base, exponent});
}

// the smaller of a and b
inline Value minimum(In a, In b) {
    return detail::emit("minimum", 1, {a, b});
}

// the larger of a and b
inline Value maximum(In a, In b) {
    return detail::emit("maximum", 1, {a, b});
}

// x, but not below low and not above high
inline Value clamp(In x, In low, In high) {
    return detail::emit("clamp", 1, {x, low, high});
}

// a where the condition is true, else b
inline Value where(In condition, In a, In b) {
    return detail::emit("where", 1, {condition, a, b});
}

// -x
inline Value neg(In x) {
    return detail::emit("neg", 1, {x});
}

// the absolute value of x
inline Value abs(In x) {
    return detail::emit("abs", 1, {x});
}

// e to the power of x
inline Value exp(In x) {
    return detail::emit("exp", 1, {x});
}

// the natural logarithm of x
inline Value log(In x) {
    return detail::emit("log", 1, {x});
}

// log(1 + x), exact for small x
inline Value log1p(In x) {
    return detail::emit("log1p", 1, {x});
}

// exp(x) - 1, exact for small x
inline Value expm1(In x) {
    return detail::emit("expm1", 1, {x});
}

// the square root of x
inline Value sqrt(In x) {
    return detail::emit("sqrt", 1, {x});
}

// x * x
inline Value square(In x) {
    return detail::emit("square", 1, {x});
}

// the hyperbolic tangent of x
inline Value tanh(In x) {
    return detail::emit("tanh", 1, {x});
}

// 1 / (1 + exp(-x))
inline Value sigmoid(In x) {
    return detail::emit("sigmoid", 1, {x});
}

// log(1 + exp(x))
inline Value softplus(In x) {
    return detail::emit("softplus", 1, {x});
}

// the error function
inline Value erf(In x) {
    return detail::emit("erf", 1, {x});
}

// the inverse of the error function
inline Value erfinv(In x) {
    return detail::emit("erfinv", 1, {x});
}

// x where positive, else 0
inline Value relu(In x) {
    return detail::emit("relu", 1, {x});
}

// the largest integer that is not above x, as real
inline Value floor(In x) {
    return detail::emit("floor", 1, {x});
}

// -1, 0 or 1
inline Value sign(In x) {
    return detail::emit("sign", 1, {x});
}

// the sine of x in radians
inline Value sin(In x) {
    return detail::emit("sin", 1, {x});
}

// the cosine of x in radians
inline Value cos(In x) {
    return detail::emit("cos", 1, {x});
}

// the angle in radians, from -pi to pi, whose sine and cosine are in this ratio
inline Value atan2(In sine, In cosine) {
    return detail::emit("atan2", 1, {sine, cosine});
}

// x, but no gradient passes
inline Value stop_gradient(In x) {
    return detail::emit("stop_gradient", 1, {x});
}

// x as real, int or bool
inline Value cast(In x, const char* to) {
    return detail::emit("cast", 1, {x}, {{"to", to}});
}

// whether a equals b
inline Value eq(In a, In b) {
    return detail::emit("eq", 1, {a, b});
}

// whether a and b differ
inline Value ne(In a, In b) {
    return detail::emit("ne", 1, {a, b});
}

// whether a is less than b
inline Value lt(In a, In b) {
    return detail::emit("lt", 1, {a, b});
}

// whether a is at most b
inline Value le(In a, In b) {
    return detail::emit("le", 1, {a, b});
}

// whether a is greater than b
inline Value gt(In a, In b) {
    return detail::emit("gt", 1, {a, b});
}

// whether a is at least b
inline Value ge(In a, In b) {
    return detail::emit("ge", 1, {a, b});
}

// whether both are true
inline Value logical_and(In a, In b) {
    return detail::emit("and", 1, {a, b});
}

// whether one or both are true
inline Value logical_or(In a, In b) {
    return detail::emit("or", 1, {a, b});
}

// whether x is false
inline Value logical_not(In x) {
    return detail::emit("not", 1, {x});
}

// the sum along a size
inline Value sum(In x, std::int64_t axis = -1) {
    return detail::emit("sum", 1, {x}, {{"axis", axis}});
}

// the mean along a size
inline Value mean(In x, std::int64_t axis = -1) {
    return detail::emit("mean", 1, {x}, {{"axis", axis}});
}

// the largest along a size
inline Value max_over(In x, std::int64_t axis = -1) {
    return detail::emit("max", 1, {x}, {{"axis", axis}});
}

// the smallest along a size
inline Value min_over(In x, std::int64_t axis = -1) {
    return detail::emit("min", 1, {x}, {{"axis", axis}});
}

// log of the sum of exp along a size
inline Value logsumexp(In x, std::int64_t axis = -1) {
    return detail::emit("logsumexp", 1, {x}, {{"axis", axis}});
}

// the index of the largest along a size
inline Value argmax(In x, std::int64_t axis = -1) {
    return detail::emit("argmax", 1, {x}, {{"axis", axis}});
}

// exp(x) over its sum along the last size
inline Value softmax(In x) {
    return detail::emit("softmax", 1, {x});
}

// log of softmax along the last size
inline Value log_softmax(In x) {
    return detail::emit("log_softmax", 1, {x});
}

// the sum over all rows
inline Value batch_sum(In x) {
    return detail::emit("batch_sum", 1, {x});
}

// the mean over all rows
inline Value batch_mean(In x) {
    return detail::emit("batch_mean", 1, {x});
}

// the sample standard deviation over all rows
inline Value batch_std(In x) {
    return detail::emit("batch_std", 1, {x});
}

// the number of rows, as real
inline Value batch_count(In x) {
    return detail::emit("batch_count", 1, {x});
}

// a quantile over all rows
inline Value batch_quantile(In x, double q) {
    return detail::emit("batch_quantile", 1, {x}, {{"q", q}});
}

// the smallest over the members of an ensemble
inline Value min_members(In x) {
    if (!detail::has_members(Value{x.id})) {
        return Value{x.id};
    }
    return detail::emit("min_members", 1, {x});
}

// the largest over the members of an ensemble
inline Value max_members(In x) {
    if (!detail::has_members(Value{x.id})) {
        return Value{x.id};
    }
    return detail::emit("max_members", 1, {x});
}

// the mean over the members of an ensemble
inline Value mean_members(In x) {
    if (!detail::has_members(Value{x.id})) {
        return Value{x.id};
    }
    return detail::emit("mean_members", 1, {x});
}

// the sum over the members of an ensemble
inline Value sum_members(In x) {
    if (!detail::has_members(Value{x.id})) {
        return Value{x.id};
    }
    return detail::emit("sum_members", 1, {x});
}

// whether a member is among the `count` smallest
inline Value least_members(In x, std::int64_t count) {
    return detail::emit("least_members", 1, {x}, {{"count", count}});
}

// the mean of every element over the rows of the batch
inline Value mean_rows(In x) {
    return detail::emit("mean_rows", 1, {x});
}

// the number of rows that mean_rows averages
inline Value count_rows(In x) {
    return detail::emit("count_rows", 1, {x});
}

// the same value at each of `n` places of a new leading dimension, for several draws a row
inline Value spread(In x, const char* name, std::int64_t n) {
    return detail::emit("spread", 1, {x}, {{"name", name}, {"n", n}});
}

// values of the same sizes at the places of a new leading dimension
inline Value stack(const std::vector<In>& parts, const char* name, std::source_location at = std::source_location::current()) {
    return detail::emit("stack", 1, parts, {{"name", name}}, at);
}

// one member of an ensemble, or one place of a dimension made by spread or stack
inline Value pick(In x, std::int64_t index, const char* of = "") {
    return detail::emit("pick", 1, {x}, {{"index", index}, {"of", of}});
}

// a dimension made by spread or stack, or the members of an ensemble, as the last size
inline Value collect(In x, const char* of = "") {
    return detail::emit("collect", 1, {x}, {{"of", of}});
}

// the last size as a leading dimension, undoing collect
inline Value uncollect(In x, In like, const char* of = "") {
    return detail::emit("uncollect", 1, {x, like}, {{"of", of}});
}

// the element of the last size at an index of each row
inline Value gather(In x, In index) {
    return detail::emit("gather", 1, {x, index});
}

// the indices that sort the elements along a size
inline Value argsort(In x, std::int64_t axis = -1, std::int64_t descending = 0) {
    return detail::emit("argsort", 1, {x}, {{"axis", axis}, {"descending", descending}});
}

// the sums up to each element along a size
inline Value cumsum(In x, std::int64_t axis = -1, std::int64_t reverse = 0) {
    return detail::emit("cumsum", 1, {x}, {{"axis", axis}, {"reverse", reverse}});
}

// the elements along a size at several indices
inline Value take_along(In x, In index, std::int64_t axis = -1) {
    return detail::emit("take_along", 1, {x, index}, {{"axis", axis}});
}

// the rows of a table at indices: an embedding
inline Value take(In table, In index) {
    return detail::emit("take", 1, {table, index});
}

// x with one row replaced
inline Value put(In x, In index, In row, std::int64_t axis = -2) {
    return detail::emit("put", 1, {x, index, row}, {{"axis", axis}});
}

// a last size of n with 1 at the index and 0 elsewhere
inline Value one_hot(In index, std::int64_t n) {
    return detail::emit("one_hot", 1, {index}, {{"n", n}});
}

// values concatenated along a size
inline Value concat(const std::vector<In>& parts, std::int64_t axis = -1, std::source_location at = std::source_location::current()) {
    return detail::emit("concat", 2, parts, {{"axis", axis}}, at);
}
template <std::convertible_to<In>... More>
Value concat(In first, In second, More... more) {
    const detail::CalledFrom caller(first.at);
    return concat(std::vector<In>{first, second, In(more)...}, -1, first.at);
}

// a piece of a size
inline Value slice(In x, std::int64_t start, std::int64_t length, std::int64_t axis = -1) {
    return detail::emit("slice", 2, {x}, {{"start", start}, {"length", length}, {"axis", axis}});
}

// a new size of 1
inline Value unsqueeze(In x, std::int64_t axis = -1) {
    return detail::emit("unsqueeze", 1, {x}, {{"axis", axis}});
}

// a size of 1 removed
inline Value squeeze(In x, std::int64_t axis = -1) {
    return detail::emit("squeeze", 1, {x}, {{"axis", axis}});
}

// the last two sizes transposed
inline Value transpose(In x) {
    return detail::emit("transpose", 1, {x});
}

// the sizes in another order
inline Value permute(In x, std::span<const std::int64_t> order) {
    return detail::emit("permute", 1, {x}, {{"order", std::span<const std::int64_t>(order.begin(), order.size())}});
}
inline Value permute(In x, std::initializer_list<std::int64_t> order) {
    return detail::emit("permute", 1, {x}, {{"order", std::span<const std::int64_t>(order.begin(), order.size())}});
}

// other sizes for the same elements of a row
inline Value reshape(In x, std::span<const std::int64_t> shape) {
    return detail::emit("reshape", 1, {x}, {{"shape", std::span<const std::int64_t>(shape.begin(), shape.size())}});
}
inline Value reshape(In x, std::initializer_list<std::int64_t> shape) {
    return detail::emit("reshape", 1, {x}, {{"shape", std::span<const std::int64_t>(shape.begin(), shape.size())}});
}

// x times the transposed weight, plus the bias
inline Value linear(In x, In weight) {
    return detail::emit("linear", 1, {x, weight});
}
inline Value linear(In x, In weight, In bias) {
    return detail::emit("linear", 1, {x, weight, bias});
}

// scaled dot-product attention, heads next to each other in each row
inline Value attention(In query, In key, In value, std::int64_t heads = 1, std::int64_t causal = 0, std::int64_t window = 0, double scale = 0) {
    return detail::emit("attention", 1, {query, key, value}, {{"heads", heads}, {"causal", causal}, {"window", window}, {"scale", scale}});
}
inline Value attention(In query, In key, In value, In allowed, std::int64_t heads = 1, std::int64_t causal = 0, std::int64_t window = 0, double scale = 0) {
    return detail::emit("attention", 1, {query, key, value, allowed}, {{"heads", heads}, {"causal", causal}, {"window", window}, {"scale", scale}});
}

// the convolution of an image with a filter, channels first
inline Value conv2d(In x, In weight, std::int64_t stride = 1, std::int64_t padding = 0) {
    return detail::emit("conv2d", 1, {x, weight}, {{"stride", stride}, {"padding", padding}});
}
inline Value conv2d(In x, In weight, In bias, std::int64_t stride = 1, std::int64_t padding = 0) {
    return detail::emit("conv2d", 1, {x, weight, bias}, {{"stride", stride}, {"padding", padding}});
}

// the transposed convolution of an image with a filter, channels first
inline Value conv_transpose2d(In x, In weight, std::int64_t stride = 1, std::int64_t padding = 0) {
    return detail::emit("conv_transpose2d", 1, {x, weight}, {{"stride", stride}, {"padding", padding}});
}
inline Value conv_transpose2d(In x, In weight, In bias, std::int64_t stride = 1, std::int64_t padding = 0) {
    return detail::emit("conv_transpose2d", 1, {x, weight, bias}, {{"stride", stride}, {"padding", padding}});
}

// max pooling of an image with a square window, channels first
inline Value max_pool2d(In x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0) {
    return detail::emit("max_pool2d", 1, {x}, {{"kernel", kernel}, {"stride", stride}, {"padding", padding}});
}

// uniform numbers between 0 and 1, of the shape of `like`
inline Value random_uniform(In like, const char* label = "") {
    return detail::emit("random_uniform", 1, {like}, {{"label", label}});
}

// standard normal numbers, of the shape of `like`
inline Value random_normal(In like, const char* label = "") {
    return detail::emit("random_normal", 1, {like}, {{"label", label}});
}

// y[t] = x[t] + decay[t] y[t - 1] over time
inline Value scan_linear(In decay, In x, std::int64_t reverse = 0) {
    return detail::emit("scan_linear", 1, {decay, x}, {{"reverse", reverse}});
}

// a sequence at one step
inline Value at_time(In x, std::int64_t index) {
    return detail::emit("at_time", 1, {x}, {{"index", index}});
}

}  // namespace TENON_SDK
}  // namespace tenon
