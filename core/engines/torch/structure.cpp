// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/kernel.hpp"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/std.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "engines/torch/align.hpp"
#include "engines/torch/index_faults.hpp"

namespace tenon::reference {
namespace {

using graph::Dim;

at::Tensor aligned(const Frame& k, std::size_t input, const at::Tensor& value) {
    return fill_gaps(value, gaps(k.in[input].dims, k.out.symbols()));
}

// The dimension of a type that the graph has made and that none of the others has.
Dim missing(const graph::Type& one, std::span<const graph::Type> others) {
    return *std::ranges::find_if(one.dims, [&](Dim dim) {
        return dim < 0 && std::ranges::none_of(others, [&](const graph::Type& other) { return other.has(dim); });
    });
}
Dim missing(const graph::Type& one, const graph::Type& other) {
    return missing(one, std::span(&other, 1));
}

// The positions of rows, time, lanes, agents and dimensions made by the graph in the first input.
std::vector<std::int64_t> all_rows(const Frame& k) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < k.in[0].dims.size(); ++i) {
        const Dim dim = k.in[0].dims[i];
        if (dim < 0 && !graph::is_ensemble(dim)) {
            out.push_back(static_cast<std::int64_t>(i));
        }
    }
    return out;
}

// The sizes of all dimensions except the last `dropped`.
std::vector<std::int64_t> rows_of(const at::Tensor& x, std::int64_t dropped) {
    return {x.sizes().begin(), x.sizes().end() - dropped};
}

// Whether weights and biases belong to one ensemble, so that a single batched product computes them.
bool is_ensemble(const Frame& k) {
    const auto members = k.in[1].symbols();
    if (members.size() != 1 || !graph::is_derived(members[0]) || k.out.dims.front() != members[0]) {
        return false;
    }
    const auto x = k.in[0].symbols();
    const auto others = std::ranges::count_if(x, [&](Dim dim) { return graph::is_ensemble(dim) && dim != members[0]; });
    return others == 0 && (k.in.size() < 3 || std::ranges::equal(k.in[2].symbols(), members));
}

at::Tensor ensemble_linear(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const std::int64_t members = weight.size(0);
    const std::int64_t width = weight.size(2);
    const bool own = k.in[0].has(k.in[1].dims[0]);
    const at::Tensor rows =
        own ? x.reshape({members, -1, width}) : x.reshape({1, -1, width}).expand({members, -1, width});
    const at::Tensor turned = weight.transpose(1, 2);
    const at::Tensor out = bias.defined() ? at::baddbmm(bias.unsqueeze(1), rows, turned) : at::bmm(rows, turned);
    std::vector<std::int64_t> shape = rows_of(x, 1);
    if (!own) {
        shape.insert(shape.begin(), members);
    }
    shape.push_back(weight.size(1));
    return out.reshape(shape);
}

// Any combination of leading dimensions: weight and bias get sizes of 1 for the dimensions of x except the last.
at::Tensor general_linear(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const auto more = static_cast<std::int64_t>(k.in[0].sizes().size()) - 1;
    at::Tensor w = aligned(k, 1, weight);
    at::Tensor b = bias.defined() ? aligned(k, 2, bias) : bias;
    for (std::int64_t i = 0; i < more; ++i) {
        w = w.unsqueeze(-3);
        b = b.defined() ? b.unsqueeze(-2) : b;
    }
    const at::Tensor out = at::matmul(aligned(k, 0, x).unsqueeze(-2), w.transpose(-1, -2)).squeeze(-2);
    return b.defined() ? at::add(out, b) : out;
}

}  // namespace

at::Tensor over_rows(const Frame& k, const at::Tensor& x, at::Tensor reduced) {
    return k.row_dims.empty() ? x : reduced;
}

at::Tensor batch_std(const Frame& k, const at::Tensor& x) {
    std::int64_t rows = 1;
    for (const std::int64_t dim : k.row_dims) {
        rows *= x.size(dim);
    }
    if (rows < 2) {
        const at::Tensor zero = x.detach() - x.detach();
        return over_rows(k, zero, zero.sum(k.row_dims));
    }
    return at::std(x, at::OptionalIntArrayRef(k.row_dims), true);
}

at::Tensor batch_count(const Frame& k, const at::Tensor& x) {
    std::vector<std::int64_t> shape;
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < k.in[0].dims.size(); ++i) {
        const std::int64_t size = x.size(static_cast<std::int64_t>(i));
        if (graph::is_derived(k.in[0].dims[i])) {
            shape.push_back(size);
        } else {
            rows *= size;
        }
    }
    return at::full(shape, static_cast<double>(rows), x.options().dtype(k.real));
}

at::Tensor mean_rows(const Frame& k, const at::Tensor& x) {
    const std::vector<std::int64_t> rows = all_rows(k);
    return rows.empty() ? x : at::mean(x, rows);
}

at::Tensor count_rows(const Frame& k, const at::Tensor& x) {
    double count = 1;
    for (const std::int64_t dim : all_rows(k)) {
        count *= static_cast<double>(x.size(dim));
    }
    return at::scalar_tensor(count, x.options().dtype(k.real));
}

at::Tensor least_members(const Frame& k, const at::Tensor& x, std::int64_t count) {
    const at::Tensor order = at::argsort(x.detach(), true, k.member_dim, false);
    return at::zeros(x.sizes(), x.options().dtype(at::kBool))
        .scatter(k.member_dim, order.narrow(k.member_dim, 0, count), true);
}

at::Tensor spread(const Frame& k, const at::Tensor& x, std::int64_t n) {
    const std::int64_t at = position_of(k.out, missing(k.out, k.in[0]));
    std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end());
    shape.insert(shape.begin() + at, n);
    return x.unsqueeze(at).expand(shape);
}

at::Tensor stack(const Frame& k, Inputs parts) {
    const std::int64_t at = position_of(k.out, missing(k.out, k.in));
    Frame each = k;
    each.out.dims.erase(each.out.dims.begin() + at);
    std::vector<at::Tensor> pieces;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        pieces.push_back(aligned(each, i, parts[i]));
    }
    return at::stack(at::broadcast_tensors(pieces), at);
}

at::Tensor pick(const Frame& k, const at::Tensor& x, std::int64_t index) {
    return x.select(position_of(k.in[0], missing(k.in[0], k.out)), index);
}

at::Tensor collect(const Frame& k, const at::Tensor& x) {
    return x.movedim(position_of(k.in[0], missing(k.in[0], k.out)), -1);
}

at::Tensor group(const Frame& k, const at::Tensor& x, std::int64_t axis) {
    return x.movedim(axis, position_of(k.out, missing(k.out, k.in[0])));
}

at::Tensor ungroup(const Frame& k, const at::Tensor& x, std::int64_t axis) {
    return x.movedim(position_of(k.in[0], missing(k.in[0], k.out)), axis);
}

at::Tensor gather(const Frame& k, const at::Tensor& x, const at::Tensor& given) {
    const at::Tensor index = in_range(given, x.size(-1));
    if (x.dim() == index.dim() + 1 && x.sizes().slice(0, static_cast<std::size_t>(index.dim())) == index.sizes()) {
        return x.gather(-1, index.unsqueeze(-1)).squeeze(-1);
    }
    const at::Tensor from = aligned(k, 0, x);
    const at::Tensor chosen = aligned(k, 1, index);
    const std::vector<std::int64_t> rows = at::infer_size(rows_of(from, 1), chosen.sizes());
    std::vector<std::int64_t> full = rows;
    full.push_back(x.size(-1));
    return from.expand(full).gather(-1, chosen.expand(rows).unsqueeze(-1)).squeeze(-1);
}

at::Tensor concat(const Frame& k, Inputs parts, std::int64_t axis) {
    std::vector<at::Tensor> pieces;
    std::vector<std::int64_t> full;  // apart from the axis
    for (std::size_t i = 0; i < parts.size(); ++i) {
        pieces.push_back(aligned(k, i, parts[i]));
        std::vector<std::int64_t> other = pieces.back().sizes().vec();
        *(other.end() + axis) = 1;
        full = at::infer_size(full, other);
    }
    for (at::Tensor& piece : pieces) {
        *(full.end() + axis) = piece.size(axis);
        piece = piece.expand(full);
    }
    return at::cat(pieces, axis);
}

at::Tensor permute(const Frame& k, const at::Tensor& x, const std::vector<std::int64_t>& order) {
    std::vector<std::int64_t> all(k.in[0].symbol_count());
    std::iota(all.begin(), all.end(), 0);
    all.insert(all.end(), order.begin(), order.end());
    return x.permute(all);
}

at::Tensor reshape(const Frame& k, const at::Tensor& x, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> full = rows_of(x, static_cast<std::int64_t>(k.in[0].sizes().size()));
    full.insert(full.end(), shape.begin(), shape.end());
    return x.reshape(full);
}

at::Tensor linear(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (weight.dim() == 2 && (!bias.defined() || bias.dim() == 1)) {
        return at::linear(x, weight, bias);
    }
    return is_ensemble(k) ? ensemble_linear(k, x, weight, bias) : general_linear(k, x, weight, bias);
}

at::Tensor at_time(const Frame& k, const at::Tensor& x, std::int64_t index) {
    return x.select(position_of(k.in[0], graph::kTime), index);
}

}  // namespace tenon::reference
