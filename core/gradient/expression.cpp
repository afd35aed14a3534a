// SPDX-License-Identifier: Apache-2.0
#include "gradient/expression.hpp"

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::graph {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

V emit(std::string_view op, std::initializer_list<V> inputs, std::vector<Attribute> attributes = {}) {
    Extension* in = nullptr;
    for (const V& input : inputs) {
        in = input.in != nullptr ? input.in : in;
    }
    if (in == nullptr) {
        return kNoNumber;  // not in a graph: shows as a gradient that is not finite
    }
    std::vector<ValueId> ids;
    for (const V& input : inputs) {
        ids.push_back(input.in != nullptr ? input.id : in->constant(input.number));
    }
    return {in, in->emit(op, std::move(ids), std::move(attributes))};
}

V as_real(V x) {
    return emit("cast", {x}, {{"to", std::string("real")}});
}

}  // namespace

V operator+(V a, V b) {
    return emit("add", {a, b});
}
V operator-(V a, V b) {
    return emit("sub", {a, b});
}
V operator*(V a, V b) {
    return emit("mul", {a, b});
}
V operator/(V a, V b) {
    return emit("div", {a, b});
}
V operator-(V x) {
    return emit("neg", {x});
}
V operator==(V a, V b) {
    return emit("eq", {a, b});
}
V operator<(V a, V b) {
    return emit("lt", {a, b});
}
V operator<=(V a, V b) {
    return emit("le", {a, b});
}
V operator>(V a, V b) {
    return emit("gt", {a, b});
}
V operator>=(V a, V b) {
    return emit("ge", {a, b});
}
V operator&&(V a, V b) {
    return emit("and", {a, b});
}
V operator||(V a, V b) {
    return emit("or", {a, b});
}

V where(V condition, V a, V b) {
    return emit("where", {condition, a, b});
}
V pow(V base, V exponent) {
    return emit("pow", {base, exponent});
}
V exp(V x) {
    return emit("exp", {x});
}
V log(V x) {
    return emit("log", {x});
}
V sin(V x) {
    return emit("sin", {x});
}
V cos(V x) {
    return emit("cos", {x});
}
V sign(V x) {
    return emit("sign", {x});
}
V sigmoid(V x) {
    return emit("sigmoid", {x});
}
V sum(V x, std::int64_t axis) {
    return emit("sum", {x}, {{"axis", axis}});
}
V unsqueeze(V x, std::int64_t axis) {
    return emit("unsqueeze", {x}, {{"axis", axis}});
}
V squeeze(V x, std::int64_t axis) {
    return emit("squeeze", {x}, {{"axis", axis}});
}
V transpose(V x) {
    return emit("transpose", {x});
}
V reshape(V x, std::vector<std::int64_t> shape) {
    return emit("reshape", {x}, {{"shape", std::move(shape)}});
}
V one_hot(V index, std::int64_t n) {
    return emit("one_hot", {index}, {{"n", n}});
}
V linear(V x, V weight) {
    return emit("linear", {x, weight});
}
V batch_mean(V x) {
    return emit("batch_mean", {x});
}
V scan_linear(V decay, V x, std::int64_t reverse) {
    return emit("scan_linear", {decay, x}, {{"reverse", reverse}});
}
V expand_like(V x, V like) {
    return emit("expand_like", {x, like});
}
V repeats(V x, V of) {
    return emit("repeats", {x, of});
}
V linear_weight(V g, V x, V like) {
    return emit("linear_weight", {g, x, like});
}
V pad(V x, std::int64_t start, std::int64_t width) {
    return emit("pad", {x}, {{"start", start}, {"width", width}});
}
V place(V x, V like, std::int64_t index) {
    return emit("place", {x, like}, {{"index", index}});
}
V put_along(V x, V index, std::int64_t axis, std::int64_t size) {
    return emit("put_along", {x, index}, {{"axis", axis}, {"size", size}});
}
V take_along(V x, V index, std::int64_t axis) {
    return emit("take_along", {x, index}, {{"axis", axis}});
}
V uncollect(V x, V like) {
    return emit("uncollect", {x, like});
}
V unpatch(V g, V like, std::int64_t height, std::int64_t width, std::int64_t stride, std::int64_t padding) {
    return emit("unpatch", {g, like}, {{"height", height}, {"width", width}, {"stride", stride}, {"padding", padding}});
}
V shift_time(V x, std::int64_t by) {
    return emit("shift_time", {x}, {{"by", by}});
}

V chosen(V x, V y, std::int64_t axis) {
    const V ties = as_real(x == y);
    return ties / unsqueeze(sum(ties, axis), axis);
}

V chosen_member(V x, V y) {
    const V ties = as_real(x == y);
    return ties / emit("sum_members", {ties});
}

std::vector<std::int64_t> sizes(V x) {
    const auto all = x.in->type(x.id).sizes();
    return {all.begin(), all.end()};
}

std::int64_t last_size(V x) {
    const std::vector<std::int64_t> all = sizes(x);
    return all.empty() ? 1 : all.back();  // empty for a value that could not be added
}

std::int64_t size_at(V x, std::int64_t axis) {
    const std::vector<std::int64_t> all = sizes(x);
    const std::int64_t at = static_cast<std::int64_t>(all.size()) + axis;
    return at < 0 ? 1 : all[static_cast<std::size_t>(at)];  // negative for a value that could not be added
}

}  // namespace tenon::graph
