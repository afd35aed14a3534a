// SPDX-License-Identifier: Apache-2.0
// Kernels of ops that occur only in gradient graphs.
#include <algorithm>
#include <cmath>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "engines/torch/align.hpp"
#include "engines/torch/kernel.hpp"

namespace tenon::reference {
namespace {

using graph::Dim;

Dim lacking(const graph::Type& like, const graph::Type& x) {
    return *std::ranges::find_if(like.dims, [&](Dim dim) { return dim < 0 && !x.has(dim); });
}

std::vector<std::int64_t> like_sizes(const Frame& k, const at::Tensor& x, Dim made, std::int64_t size) {
    std::vector<std::int64_t> out(x.sizes().begin(), x.sizes().end());
    out.insert(out.begin() + position_of(k.out, made), size);
    return out;
}

// [members, rows, width]: first the leading dimensions of the weight, then all others flattened to rows.
at::Tensor rows_by_member(const at::Tensor& value, const std::vector<std::int64_t>& order, std::int64_t members) {
    return value.permute(order).reshape({members, -1, value.size(-1)});
}

}  // namespace

at::Tensor expand_like(const Frame& k, const at::Tensor& x, const at::Tensor& like) {
    return fill_gaps(x, gaps(k.in[0].dims, k.out.symbols())).expand(like.sizes());
}

at::Tensor sum_like(const Frame& k, const at::Tensor& x, const at::Tensor& like) {
    const graph::Type& from = k.in[0];
    const auto kept = k.out.sizes();
    std::vector<std::int64_t> summed;
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        const Dim dim = from.dims[i];
        const std::size_t from_right = from.dims.size() - i;
        const bool stays =
            dim < 0 ? k.out.has(dim) : from_right <= kept.size() && kept[kept.size() - from_right] == dim;
        if (!stays) {
            summed.push_back(static_cast<std::int64_t>(i));
        }
    }
    return summed.empty() ? x.reshape(like.sizes()) : x.sum(summed).reshape(like.sizes());
}

at::Tensor repeats(const Frame& k, const at::Tensor& x, const at::Tensor& of) {
    const auto parts = static_cast<double>(std::max<std::int64_t>(of.numel(), 1));
    return at::scalar_tensor(static_cast<double>(x.numel()) / parts, x.options().dtype(k.real));
}

at::Tensor linear_weight(const Frame& k, const at::Tensor& g, const at::Tensor& x) {
    const std::vector<Dim> symbols = graph::join_symbols(k.in[0].symbols(), k.in[1].symbols());
    at::Tensor left = among(k.in[0], g, symbols);
    at::Tensor right = among(k.in[1], x, symbols);
    const auto width = [](const at::Tensor& t) { return t.size(-1); };
    std::vector<std::int64_t> rows = at::infer_size(left.sizes().slice(0, left.sizes().size() - 1),
                                                    right.sizes().slice(0, right.sizes().size() - 1));
    const auto full = [&](const at::Tensor& t) {
        std::vector<std::int64_t> shape = rows;
        shape.push_back(width(t));
        return t.expand(shape);
    };
    left = full(left);
    right = full(right);
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> rest;
    std::int64_t members = 1;
    std::vector<std::int64_t> shape;
    for (std::int64_t i = 0; i < left.dim(); ++i) {
        const bool member =
            i < static_cast<std::int64_t>(symbols.size()) && k.out.has(symbols[static_cast<std::size_t>(i)]);
        (member ? first : rest).push_back(i);
        members *= member ? left.size(i) : 1;
        if (member) {
            shape.push_back(left.size(i));
        }
    }
    first.insert(first.end(), rest.begin(), rest.end());
    shape.push_back(width(left));
    shape.push_back(width(right));
    const at::Tensor by_member = rows_by_member(left, first, members).transpose(1, 2);
    return at::bmm(by_member, rows_by_member(right, first, members)).reshape(shape);
}

at::Tensor pad(const at::Tensor& x, std::int64_t start, std::int64_t width, std::int64_t axis) {
    std::vector<std::int64_t> around(static_cast<std::size_t>(-2 * axis), 0);  // from the last size on
    *(around.end() - 2) = start;
    around.back() = width - start - x.size(axis);
    return at::constant_pad_nd(x, around, 0);
}

at::Tensor place(const Frame& k, const at::Tensor& x, const at::Tensor& like, std::int64_t index) {
    const std::int64_t at = position_of(k.out, lacking(k.out, k.in[0]));
    at::Tensor out = at::zeros(like_sizes(k, x, k.out.dims[static_cast<std::size_t>(at)], like.size(at)), x.options());
    out.select(at, index).copy_(x);
    return out;
}

at::Tensor uncollect(const Frame& k, const at::Tensor& x) {
    return x.movedim(-1, position_of(k.out, lacking(k.out, k.in[0])));
}

at::Tensor shift_time(const Frame& k, const at::Tensor& x, std::int64_t by) {
    const std::int64_t time = position_of(k.out, graph::kTime);
    const std::int64_t steps = x.size(time);
    at::Tensor out = at::zeros(x.sizes(), x.options());
    const std::int64_t kept = steps - std::abs(by);
    if (kept > 0) {
        out.narrow(time, by > 0 ? by : 0, kept).copy_(x.narrow(time, by > 0 ? 0 : -by, kept));
    }
    return out;
}

at::Tensor windows(const Frame& k, const at::Tensor& rows, const at::Tensor& before, std::int64_t window,
                   std::int64_t axis) {
    const std::int64_t time = position_of(k.out, graph::kTime);
    std::vector<std::int64_t> shape(rows.sizes().begin(), rows.sizes().end());
    shape[static_cast<std::size_t>(time)] = window - 1;
    const at::Tensor earlier =
        before.defined() ? before.detach().movedim(axis, time) : at::zeros(shape, rows.options());
    return at::cat({earlier, rows}, time).unfold(time, window, 1).movedim(-1, axis);
}

at::Tensor sum_windows(const Frame& k, const at::Tensor& x, std::int64_t axis) {
    const std::int64_t time = position_of(k.in[0], graph::kTime);
    const std::int64_t steps = x.size(time);
    const std::int64_t window = x.size(axis);
    at::Tensor out = at::zeros_like(x.select(axis, 0));
    for (std::int64_t later = 0; later < std::min(window, steps); ++later) {
        const at::Tensor copies = x.select(axis, window - 1 - later);
        out.narrow(time, 0, steps - later).add_(copies.narrow(time, later, steps - later));
    }
    return out;
}

}  // namespace tenon::reference
