// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/expression.hpp"

#include <initializer_list>
#include <limits>
#include <utility>
#include "base/data/mapped.hpp"

namespace tenon::graph {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

V as_real(V x) {
    return cast(x, "real");
}

}  // namespace

V emit(OpId op, std::initializer_list<V> inputs, std::vector<Attribute> attributes) {
    Extension* in = nullptr;
    for (const V& input : inputs) {
        in = input.in != nullptr ? input.in : in;
    }
    if (in == nullptr) {
        return kNoNumber;  // not in a graph: shows as a gradient that is not finite
    }
    auto ids = mapped<ValueId>(
        inputs, [&](const V& input) { return input.in != nullptr ? input.id : in->constant(input.number); });
    return {in, in->emit(op, std::move(ids), std::move(attributes))};
}

V chosen(V x, V y, std::int64_t axis) {
    const V ties = as_real(x == y);
    return ties / unsqueeze(sum(ties, axis), axis);
}

V chosen_member(V x, V y) {
    const V ties = as_real(x == y);
    return ties / sum_members(ties);
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
