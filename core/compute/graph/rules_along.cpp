// SPDX-License-Identifier: Apache-2.0
// Shape rules of ops that sort along a dimension, and of those that gather and scatter by indices along one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
namespace {

// Both inputs line up except for the axis. The result has `size` along the axis, or the index's size if that is 0.
Outcome along(const Question& q, Kind kind, std::int64_t size) {
    const std::int64_t axis = int_attribute(q.node, "axis");
    TENON_TRY(size_at(q, q.in[0], axis));
    if (q.in[0].sizes().size() != q.in[1].sizes().size()) {
        return Misfit{"an index must have as many sizes as the value that it selects from; these are " + q.text(0) +
                          ", and " + q.text(1),
                      0, 1};
    }
    const auto from_end = [axis](Type& type) -> Dim& { return type.dims.end()[axis]; };
    Type x = q.in[0];
    Type index = q.in[1];
    const Dim indices = std::exchange(from_end(index), 1);
    from_end(x) = 1;
    std::optional<Type> out = align(x, index);
    if (!out) {
        return Misfit{"an index of " + q.symbols.text(q.in[1]) + " cannot select from " + q.symbols.text(q.in[0]) +
                          " along axis " + std::to_string(axis) + ": their other sizes do not line up",
                      0, 1};
    }
    from_end(*out) = size > 0 ? size : indices;
    out->kind = kind;
    return std::move(*out);
}

// The type of the input, with another kind. It must have a size at the attribute `axis`.
Outcome kept_along(const Question& q, Kind kind) {
    TENON_TRY(size_at(q, q.in[0], int_attribute(q.node, "axis")));
    return Type{kind, q.in[0].dims};
}

}  // namespace

Outcome rule::argsort(const Question& q) {
    return kept_along(q, Kind::kInt);
}

Outcome rule::along_size(const Question& q) {
    return kept_along(q, Kind::kReal);
}

Outcome rule::take(const Question& q) {
    const Type& table = q.in[0];
    const Type& index = q.in[1];
    if (table.sizes().size() != 2) {
        return Misfit{"the table must be [rows, width], but this is " + q.text(0), 0};
    }
    Type out = typed(Kind::kReal, join_symbols(table.symbols(), index.symbols()), index.sizes());
    out.dims.push_back(table.dims.back());
    return out;
}

Outcome rule::put(const Question& q) {
    const Type& x = q.in[0];
    const Type& row = q.in[2];
    const std::int64_t axis = int_attribute(q.node, "axis");
    const std::ptrdiff_t at = TENON_TRY(size_at(q, x, axis));
    if (!q.in[1].sizes().empty()) {
        return Misfit{q.text(1) + ", must be one int per row, without sizes", 1};
    }
    if (row.kind != x.kind) {
        return Misfit{q.text(2) + ", is put into " + q.text(0) + "; both must be of one kind", 0, 2};
    }
    Type rest = x;
    rest.dims.erase(rest.dims.begin() + at);
    const std::optional<Type> joined = align(rest, row);
    if (!joined || !std::ranges::equal(joined->sizes(), rest.sizes())) {
        return Misfit{q.text(2) + ", cannot be put into " + q.text(0) + ", along axis " + std::to_string(axis) +
                          "; it must have the other sizes",
                      0, 2};
    }
    return typed(x.kind, join_symbols(join_symbols(x.symbols(), row.symbols()), q.in[1].symbols()), x.sizes());
}

Outcome rule::take_along(const Question& q) {
    return along(q, q.in[0].kind, 0);
}

Outcome rule::put_along(const Question& q) {
    return along(q, Kind::kReal, int_attribute(q.node, "size"));
}

}  // namespace tenon::graph
