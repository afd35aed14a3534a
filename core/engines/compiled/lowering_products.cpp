// SPDX-License-Identifier: Apache-2.0
// Matrix products: which dimensions are batches, which are rows, and which are broadcast and need not be repeated.
#include <algorithm>
#include <optional>
#include <utility>

#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::Type;

View Lowering::flat_between(const View& view, std::size_t first, std::size_t last, Kind kind) {
    std::optional<View> out = merged(view, first, last);
    return out ? std::move(*out) : *merged(dense(view, kind), first, last);
}

// All dimensions but the last `kept` ones as one, of size 1 where there are none.
View Lowering::one_batch(View view, std::size_t kept) {
    const std::size_t batches = view.shape.size() - kept;
    return batches == 0   ? inserted(std::move(view), 0, 1)
           : batches == 1 ? std::move(view)
                          : flat_between(view, 0, batches);
}

// [batch, rows, last] of a view whose first dimensions are batches.
View Lowering::flattened(View view, std::size_t batches) {
    if (batches == 0) {
        view = inserted(std::move(view), 0, 1);
        batches = 1;
    }
    return one_batch(flat_between(view, batches, view.shape.size() - 1), 2);
}

// a: [b, m, k], b: [b, k, n], bias: [b, n]; the result is [b, m, n].
View Lowering::product(const View& a, const View& b, const View* bias) {
    View out = fresh(Kind::kReal, {a.shape[0], a.shape[1], b.shape[2]});
    Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {a, b}, .out = out};
    if (bias != nullptr) {
        op.in.push_back(*bias);
    }
    emit(std::move(op));
    return out;
}

bool Lowering::linear(const At& at) {
    const Type& x_type = type_of(at, 0);
    const Type& w_type = type_of(at, 1);
    const std::size_t symbols = at.type.symbol_count();
    const std::size_t rank = at.type.dims.size();

    // x broadcast to the leading dimensions of the result
    Type x_full = at.type;
    x_full.dims.back() = x_type.dims.back();
    View x = aligned(real(at, 0), x_type, x_full);

    // the weight's dimensions are batches; dimensions that x broadcasts are not repeated
    std::vector<std::size_t> batches;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> repeated;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
        if (d < symbols && w_type.has(at.type.dims[d])) {
            batches.push_back(d);
        } else if (x.shape[d] != 1 && x.strides[d] == 0) {
            repeated.push_back(d);
        } else {
            rows.push_back(d);
        }
    }
    std::vector<std::size_t> order = batches;
    order.insert(order.end(), rows.begin(), rows.end());
    order.push_back(rank - 1);
    const View left = flattened(permuted(x, order), batches.size());

    const View w = moved(one_batch(real(at, 1), 2), 2, 1);  // [batch, in, out]
    std::optional<View> bias;
    bool apart = false;  // the bias has dimensions that the weight does not have
    if (at.node.inputs.size() > 2) {
        const Type& b_type = type_of(at, 2);
        const bool own = !batches.empty() && std::ranges::equal(b_type.symbols(), w_type.symbols());
        apart = b_type.symbol_count() > 0 && !own;
        if (!apart) {
            bias = own ? one_batch(real(at, 2), 1) : inserted(real(at, 2), 0, w.shape[0]);
        }
        if (bias && bias->strides[1] != 1 && bias->shape[1] != 1) {
            bias = dense(*bias, Kind::kReal);
        }
    }
    const View flat = product(left, w, bias ? &*bias : nullptr);

    // [batch, rows, out] with the original batches and rows, in the result's order, with broadcast dimensions restored
    View out = flat;
    std::vector<std::int64_t> sizes;
    for (const std::size_t d : rows) {
        sizes.push_back(x.shape[d]);
    }
    const std::int64_t width = flat.shape[2];
    out.shape.assign(rank, 1);
    out.strides.assign(rank, 0);
    std::int64_t stride = width;
    for (std::size_t i = rows.size(); i > 0; --i) {
        out.shape[rows[i - 1]] = sizes[i - 1];
        out.strides[rows[i - 1]] = stride;
        stride *= sizes[i - 1];
    }
    for (std::size_t i = batches.size(); i > 0; --i) {
        out.shape[batches[i - 1]] = x.shape[batches[i - 1]];
        out.strides[batches[i - 1]] = stride;
        stride *= x.shape[batches[i - 1]];
    }
    for (const std::size_t d : repeated) {
        out.shape[d] = x.shape[d];
    }
    out.shape.back() = width;
    out.strides.back() = 1;
    if (apart) {
        out = map(Code::kAdd, Kind::kReal, {out, aligned(real(at, 2), type_of(at, 2), at.type)}, Kind::kReal);
    }
    return give(at, std::move(out));
}

bool Lowering::linear_weight(const At& at) {
    const Type& g_type = type_of(at, 0);
    const Type& x_type = type_of(at, 1);
    const std::vector<Dim> symbols = graph::join_symbols(g_type.symbols(), x_type.symbols());
    const auto with_all = [&](const Type& type) {
        Type full{Kind::kReal, symbols};
        full.dims.insert(full.dims.end(), type.sizes().begin(), type.sizes().end());
        return full;
    };
    View g = aligned(in(at, 0), g_type, with_all(g_type));
    View x = aligned(real(at, 1), x_type, with_all(x_type));
    const std::size_t rank = g.shape.size();
    std::vector<std::size_t> batches;
    std::vector<std::size_t> sum_g;
    std::vector<std::size_t> sum_x;
    std::vector<std::size_t> rows;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
        const bool one = g.shape[d] == 1;
        if (d < symbols.size() && at.type.has(symbols[d])) {
            batches.push_back(d);
        } else if (!one && x.strides[d] == 0) {
            sum_g.push_back(d);  // the same x: multiply it by the sum of the gradients
        } else if (!one && g.strides[d] == 0) {
            sum_x.push_back(d);
        } else {
            rows.push_back(d);
        }
    }
    g = sum_g.empty() ? g : reduced(Code::kSum, g, sum_g);
    x = sum_x.empty() ? x : reduced(Code::kSum, x, sum_x);
    std::vector<std::size_t> order = batches;
    order.insert(order.end(), rows.begin(), rows.end());
    order.push_back(rank - 1);
    const auto flat = [&](const View& view) { return flattened(permuted(view, order), batches.size()); };
    View out = product(moved(flat(g), 2, 1), flat(x), nullptr);
    if (batches.size() != 1) {
        out = dense_view(out.buffer, shape_of(at.type));
    }
    return give(at, std::move(out));
}

}  // namespace tenon::compiled
