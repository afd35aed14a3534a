// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/kernel.hpp"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engines/torch/align.hpp"
#include "engines/torch/index_faults.hpp"

namespace tenon::reference {
namespace {

// The sizes with one of them replaced, counted from the end.
std::vector<std::int64_t> with_size(at::IntArrayRef sizes, std::int64_t axis, std::int64_t size) {
    std::vector<std::int64_t> out = sizes.vec();
    out[static_cast<std::size_t>(static_cast<std::int64_t>(out.size()) + axis)] = size;
    return out;
}

// Broadcasts both inputs to the same sizes, except along the axis.
std::pair<at::Tensor, at::Tensor> lined_up(const Frame& k, const at::Tensor& x, const at::Tensor& index,
                                           std::int64_t axis) {
    const at::Tensor from = fill_gaps(x, gaps(k.in[0].dims, k.out.symbols()));
    const at::Tensor chosen = fill_gaps(index, gaps(k.in[1].dims, k.out.symbols()));
    const std::vector<std::int64_t> others =
        at::infer_size(with_size(from.sizes(), axis, 1), with_size(chosen.sizes(), axis, 1));
    return {from.expand(with_size(others, axis, from.size(axis))),
            chosen.expand(with_size(others, axis, chosen.size(axis)))};
}

// The index over those dimensions, into the rows of all tables one after the other. Tables that the graph keeps next to
// each other have leading dimensions.
at::Tensor among_tables(const graph::Type& table, const graph::Type& index_type, const at::Tensor& index,
                        std::span<const graph::Dim> symbols, const at::Tensor& tables) {
    const std::int64_t rows = tables.size(-2);
    at::Tensor out = among(index_type, checked(index, rows), symbols);
    std::int64_t each = tables.numel() / tables.size(-1);
    for (std::size_t t = 0; t < table.symbol_count(); ++t) {
        const std::int64_t count = tables.size(static_cast<std::int64_t>(t));
        each /= count;
        const auto at = std::ranges::find(symbols, table.dims[t]) - symbols.begin();
        std::vector<std::int64_t> shape(static_cast<std::size_t>(out.dim()), 1);
        shape[static_cast<std::size_t>(at)] = count;
        out = out + at::arange(count, out.options()).mul(each).reshape(shape);
    }
    return out;
}

}  // namespace

at::Tensor argsort(const at::Tensor& x, std::int64_t axis, std::int64_t descending) {
    return at::argsort(x.detach(), /*stable=*/true, axis, descending != 0);
}

at::Tensor cumsum(const at::Tensor& x, std::int64_t axis, std::int64_t reverse) {
    return reverse == 0 ? x.cumsum(axis) : x.flip(axis).cumsum(axis).flip(axis);
}

at::Tensor batch_quantile(const Frame& k, const at::Tensor& x, double q) {
    if (k.row_dims.empty()) {
        return x.detach();
    }
    std::vector<std::int64_t> last(k.row_dims.size());
    std::iota(last.begin(), last.end(), -static_cast<std::int64_t>(last.size()));
    const at::Tensor rows = x.detach().movedim(k.row_dims, last).flatten(-static_cast<std::int64_t>(last.size()));
    const at::Tensor sorted = std::get<0>(rows.sort(-1));  // NaN last
    const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(rows.size(-1) - 1);
    const auto below = static_cast<std::int64_t>(place);
    const double part = place - static_cast<double>(below);
    const at::Tensor low = sorted.select(-1, below);
    const at::Tensor out = part == 0 ? low : low * (1 - part) + sorted.select(-1, below + 1) * part;
    const at::Tensor most = sorted.select(-1, -1);
    return at::where(most.isnan(), most, out);
}

// A table with leading dimensions is treated as one table of all their rows, and the index is changed accordingly.
at::Tensor take(const Frame& k, const at::Tensor& table, const at::Tensor& index) {
    const at::Tensor rows = table.reshape({-1, table.size(-1)});
    const at::Tensor places = among_tables(k.in[0], k.in[1], index, k.out.symbols(), table);
    std::vector<std::int64_t> shape = places.sizes().vec();
    shape.push_back(table.size(-1));
    return rows.index_select(0, places.reshape({-1})).reshape(shape);
}

at::Tensor put_rows(const Frame& k, const at::Tensor& g, const at::Tensor& index) {
    const graph::Type& table = k.in[2];
    const std::vector<graph::Dim> symbols = graph::join_symbols(k.in[0].symbols(), k.in[1].symbols());
    std::vector<std::int64_t> shape;
    for (const graph::Dim dim : table.symbols()) {
        shape.push_back(g.size(position_of(k.in[0], dim)));
    }
    shape.insert(shape.end(), table.sizes().begin(), table.sizes().end());
    const at::Tensor zeros = at::zeros(shape, g.options());
    const at::Tensor places = among_tables(table, k.in[1], index, symbols, zeros);
    at::Tensor rows = among(k.in[0], g, symbols);
    const auto own = rows.sizes();
    std::vector<std::int64_t> full = at::infer_size(places.sizes(), own.slice(0, own.size() - 1));
    const at::Tensor chosen = places.expand(full).reshape({-1});
    full.push_back(g.size(-1));
    rows = rows.expand(full).reshape({-1, g.size(-1)});
    return zeros.reshape({-1, g.size(-1)}).index_add(0, chosen, rows).reshape(shape);
}

at::Tensor take_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis) {
    const auto [from, chosen] = lined_up(k, x, in_range(index, x.size(axis)), axis);
    return from.gather(axis, chosen);
}

at::Tensor put_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis,
                     std::int64_t size) {
    const auto [from, chosen] = lined_up(k, x, in_range(index, size), axis);
    return at::zeros(with_size(from.sizes(), axis, size), from.options()).scatter_add(axis, chosen, from);
}

at::Tensor put(const Frame& k, const at::Tensor& x, const at::Tensor& index, const at::Tensor& row, std::int64_t axis) {
    const at::Tensor from = fill_gaps(x, gaps(k.in[0].dims, k.out.symbols()));
    at::Tensor chosen = fill_gaps(in_range(index, x.size(axis)), gaps(k.in[1].dims, k.out.symbols()));
    for (std::size_t i = 0; i < k.out.sizes().size(); ++i) {
        chosen = chosen.unsqueeze(-1);
    }
    const at::Tensor put =
        k.in[2].dims.empty() ? row : fill_gaps(row, gaps(k.in[2].dims, k.out.symbols())).unsqueeze(axis);
    const std::vector<std::int64_t> others =
        at::infer_size(at::infer_size(with_size(from.sizes(), axis, 1), chosen.sizes()), put.sizes());
    return from.expand(with_size(others, axis, x.size(axis))).scatter(axis, chosen.expand(others), put.expand(others));
}

}  // namespace tenon::reference
