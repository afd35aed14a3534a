// SPDX-License-Identifier: Apache-2.0
// Shape rules for ops that remove, join, cut and rearrange sizes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data/shape_text.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/limits.hpp"
#include "compute/graph/rule_question.hpp"

namespace tenon::graph {

Fitted<std::ptrdiff_t> size_at(const Question& q, const Type& type, std::int64_t axis) {
    const auto sizes = static_cast<std::int64_t>(type.sizes().size());
    if (axis >= 0 || axis < -sizes) {
        return Misfit{"axis " + std::to_string(axis) + " does not exist: " + q.text(0) + ", has " +
                          (sizes == 0 ? "no size" : counted(sizes, "size")) +
                          " after its leading dimensions, counted from -1 at the end",
                      0};
    }
    return static_cast<std::ptrdiff_t>(type.dims.size()) + axis;
}

namespace {

Outcome reduced(const Question& q, Kind kind) {
    const std::ptrdiff_t at = TENON_TRY(size_at(q, q.in[0], int_attribute(q.node, "axis")));
    Type out = q.in[0];
    out.dims.erase(out.dims.begin() + at);
    out.kind = kind;
    return out;
}

}  // namespace

Outcome rule::reduce(const Question& q) {
    return reduced(q, Kind::kReal);
}

Outcome rule::arg_reduce(const Question& q) {
    return reduced(q, Kind::kInt);
}

Outcome rule::gather(const Question& q) {
    const Type& x = q.in[0];
    const Type& index = q.in[1];
    if (x.sizes().empty()) {
        return Misfit{"there is nothing to select from: this is " + q.text(0), 0};
    }
    Type row = x;
    row.dims.pop_back();
    row.kind = index.kind;
    std::optional<Type> out = align(row, index);
    if (!out) {
        return Misfit{"an index of " + q.symbols.text(index) + " cannot select from " + q.symbols.text(x) +
                          "; it needs one index for each " + q.symbols.text(row),
                      0, 1};
    }
    out->kind = x.kind;
    return std::move(*out);
}

Outcome rule::one_hot(const Question& q) {
    const std::int64_t n = int_attribute(q.node, "n");
    if (n < 1) {
        return Misfit{"n, the number of places, must be at least 1, but is " + std::to_string(n)};
    }
    Type out = q.in[0];
    out.kind = Kind::kReal;
    out.dims.push_back(n);
    return out;
}

Outcome rule::concat(const Question& q) {
    const std::int64_t axis = axis_of(q.node);
    const auto along = [axis](Type& type) -> Dim& { return type.dims.end()[axis]; };
    Type out = q.in[0];
    Dim total = 0;
    for (std::size_t i = 0; i < q.in.size(); ++i) {
        Type a = q.in[i];
        if (a.sizes().empty()) {
            return Misfit{"it concatenates along a size, but this is " + q.text(i) + "; unsqueeze it first",
                          static_cast<int>(i)};
        }
        if (axis >= 0 || axis < -static_cast<std::int64_t>(a.sizes().size())) {
            return Misfit{"axis " + std::to_string(axis) + " is no size, counted from -1 at the end, of " + q.text(i),
                          static_cast<int>(i)};
        }
        if (a.sizes().size() != q.in[0].sizes().size()) {
            return misfit_at(q, i, axis);
        }
        total += along(a);
        along(a) = 1;
        Type b = out;
        along(b) = 1;
        std::optional<Type> both = align(b, a);
        if (!both) {
            return misfit_at(q, i, axis);
        }
        out = std::move(*both);
    }
    along(out) = total;
    out.kind = arithmetic_kind(q.in);
    return out;
}

Outcome rule::slice(const Question& q) {
    const std::ptrdiff_t at = TENON_TRY(size_at(q, q.in[0], axis_of(q.node)));
    Type out = q.in[0];
    Dim& size = out.dims.begin()[at];
    const std::int64_t start = int_attribute(q.node, "start");
    const std::int64_t length = int_attribute(q.node, "length");
    if (start < 0 || length < 1 || start > size || length > size - start) {
        return Misfit{counted(length, "element") + " from " + std::to_string(start) +
                          (length == 1 ? " on is not in " : " on are not all in ") + q.text(0),
                      0};
    }
    size = length;
    return out;
}

Outcome rule::pad(const Question& q) {
    const std::ptrdiff_t at = TENON_TRY(size_at(q, q.in[0], axis_of(q.node)));
    Type out = q.in[0];
    out.dims.begin()[at] = int_attribute(q.node, "width");
    return out;
}

Outcome rule::unsqueeze(const Question& q) {
    Type out = q.in[0];
    const std::int64_t axis = int_attribute(q.node, "axis");
    const auto sizes = static_cast<std::int64_t>(out.sizes().size());
    if (axis >= 0 || axis < -sizes - 1) {
        return Misfit{"a new size cannot be inserted at axis " + std::to_string(axis) + " of " + q.text(0), 0};
    }
    out.dims.insert(out.dims.end() + static_cast<std::ptrdiff_t>(axis + 1), 1);
    return out;
}

Outcome rule::squeeze(const Question& q) {
    const std::ptrdiff_t at = TENON_TRY(size_at(q, q.in[0], int_attribute(q.node, "axis")));
    Type out = q.in[0];
    const auto removed = out.dims.begin() + at;
    if (*removed != 1) {
        return Misfit{"only a size of 1 can be removed, but this is " + q.text(0), 0};
    }
    out.dims.erase(removed);
    return out;
}

Outcome rule::reshape(const Question& q) {
    const std::vector<std::int64_t>& shape = ints_attribute(q.node, "shape");
    if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 1; })) {
        return Misfit{"the new sizes are " + shape_text(shape) + ", but every size must be at least 1"};
    }
    const std::int64_t have = bounded_product(q.in[0].sizes());
    const std::int64_t want = bounded_product(shape);
    if (have != want || want > kMostElements) {
        return Misfit{"the sizes of " + q.text(0) + " hold " + counted(have, "element") + ", but the new ones, " +
                          shape_text(shape) + ", hold " + (want > kMostElements ? "too many" : std::to_string(want)),
                      0};
    }
    return typed(q.in[0].kind, q.in[0].symbols(), shape);
}

Outcome rule::transpose(const Question& q) {
    Type out = q.in[0];
    if (out.sizes().size() < 2) {
        return Misfit{"it transposes the last two sizes, but this is " + q.text(0), 0};
    }
    std::swap(out.dims[out.dims.size() - 1], out.dims[out.dims.size() - 2]);
    return out;
}

Outcome rule::permute(const Question& q) {
    const std::vector<std::int64_t>& order = ints_attribute(q.node, "order");
    const auto sizes = static_cast<std::int64_t>(q.in[0].sizes().size());
    std::vector<std::int64_t> each(static_cast<std::size_t>(sizes));
    std::iota(each.begin(), each.end(), -sizes);
    if (!std::ranges::is_permutation(order, each)) {
        return Misfit{"the order is " + shape_text(order) + ", but it must name each size of " + q.text(0) +
                          ", once, counted from -1 at the end",
                      0};
    }
    Type out = typed(q.in[0].kind, q.in[0].symbols(), {});
    for (const std::int64_t from : order) {
        out.dims.push_back(q.in[0].dims.end()[from]);
    }
    return out;
}

}  // namespace tenon::graph
