// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_shape.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/data/shape_text.hpp"
#include "base/data/view_shape.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

Status check_dim(const Batch& batch, std::uint32_t dim) {
    if (dim < batch.leading().rank) {
        return {};
    }
    return input_problem("a batch of " + to_string(batch.leading()) + " has no leading dimension " +
                         std::to_string(dim));
}

// Whether every column can have `more` dimensions.
Status check_ranks(const Batch& batch, std::uint32_t more) {
    std::uint32_t most = batch.leading().rank;
    for (const BatchColumn& column : batch.columns()) {
        most = std::max(most, column.view.shape.rank);
    }
    return most + more <= kMaxRank
               ? Status()
               : input_problem("a batch with columns of " + counted(most, "dimension") + " cannot have " +
                               std::to_string(more) + " more: " + std::to_string(kMaxRank) + " are the most");
}

}  // namespace

Result<Batch> permute(const Batch& batch, std::span<const std::uint32_t> order) {
    const Shape& leading = batch.leading();
    bool whole = order.size() == leading.rank;
    for (std::uint32_t dim = 0; dim < leading.rank; ++dim) {
        whole = whole && std::ranges::find(order, dim) != order.end();
    }
    if (!whole) {
        const std::vector<std::int64_t> given(order.begin(), order.end());
        return input_problem("the order " + shape_text(given) + " does not have each of the " +
                             std::to_string(leading.rank) + " leading dimensions of a batch of " + to_string(leading) +
                             " once");
    }
    Shape moved = leading;
    for (std::uint32_t i = 0; i < leading.rank; ++i) {
        moved.extent[i] = leading[order[i]];
    }
    return batch.with_views(moved, [&](const View& view) { return permuted(view, order); });
}

Result<Batch> transpose(const Batch& batch, std::uint32_t a, std::uint32_t b) {
    TENON_TRY(check_dim(batch, std::max(a, b)));
    std::array<std::uint32_t, kMaxRank> order{};
    std::iota(order.begin(), order.end(), 0U);
    std::swap(order[a], order[b]);
    return permute(batch, std::span(order).first(batch.leading().rank));
}

Result<Batch> squeeze(const Batch& batch, std::uint32_t dim) {
    TENON_TRY(check_dim(batch, dim));
    if (batch.leading()[dim] != 1) {
        return input_problem("dimension " + std::to_string(dim) + " of a batch of " + to_string(batch.leading()) +
                             " cannot be squeezed: its extent is not 1");
    }
    return batch.index(dim, 0);
}

Batch squeeze(const Batch& batch) {
    Batch out = batch;
    for (std::uint32_t dim = batch.leading().rank; dim-- > 0;) {
        if (batch.leading()[dim] == 1) {
            out = out.index(dim, 0);
        }
    }
    return out;
}

Result<Batch> unsqueeze(const Batch& batch, std::uint32_t dim) {
    const Shape& leading = batch.leading();
    if (dim > leading.rank) {
        return check_dim(batch, dim).error();
    }
    TENON_TRY(check_ranks(batch, 1));
    return batch.with_views(join(join(head(leading, dim), Shape{1}), tail(leading, dim)),
                            [&](const View& view) { return unsqueezed(view, dim); });
}

Result<Batch> expand(const Batch& batch, const Shape& leading) {
    const Shape& from = batch.leading();
    const std::uint32_t more = leading.rank - std::min(from.rank, leading.rank);
    bool fits = from.rank <= leading.rank;
    for (std::uint32_t dim = 0; fits && dim < from.rank; ++dim) {
        fits = from[dim] == leading[more + dim] || from[dim] == 1;
    }
    fits = fits && std::ranges::all_of(leading.extents(), [](std::int64_t extent) { return extent >= 0; });
    if (!fits) {
        return input_problem("a batch of " + to_string(from) + " cannot be expanded to " + to_string(leading));
    }
    TENON_TRY(check_ranks(batch, more));
    return batch.with_views(leading, [&](const View& view) {
        View out = view;
        for (std::uint32_t dim = 0; dim < from.rank; ++dim) {
            if (from[dim] != leading[more + dim]) {
                out = stretched(out, dim, leading[more + dim]);
            }
        }
        for (std::uint32_t dim = more; dim-- > 0;) {
            out = out.repeat(leading[dim]);
        }
        return out;
    });
}

Result<std::vector<Batch>> split(const Batch& batch, std::uint32_t dim, std::span<const std::int64_t> sizes) {
    TENON_TRY(check_dim(batch, dim));
    std::int64_t left = batch.leading()[dim];
    for (const std::int64_t size : sizes) {
        left = size < 0 || size > left ? -1 : left - size;
        if (left < 0) {
            break;
        }
    }
    if (left != 0) {
        return input_problem("pieces of " + shape_text(sizes) + " do not add up to dimension " + std::to_string(dim) +
                             " of a batch of " + to_string(batch.leading()));
    }
    std::vector<Batch> out;
    std::int64_t first = 0;
    for (const std::int64_t size : sizes) {
        out.push_back(batch.slice(dim, first, size));
        first += size;
    }
    return out;
}

Result<std::vector<Batch>> split(const Batch& batch, std::uint32_t dim, std::int64_t size) {
    TENON_TRY(check_dim(batch, dim));
    if (size < 1) {
        return input_problem("a batch cannot be split into pieces of " + std::to_string(size));
    }
    std::vector<Batch> out;
    const std::int64_t extent = batch.leading()[dim];
    for (std::int64_t first = 0; first < extent; first += std::min(size, extent - first)) {
        out.push_back(batch.slice(dim, first, std::min(size, extent - first)));
    }
    return out;
}

Result<std::vector<Batch>> chunk(const Batch& batch, std::uint32_t dim, std::int64_t count) {
    TENON_TRY(check_dim(batch, dim));
    if (count < 1) {
        return input_problem("a batch cannot be split into " + std::to_string(count) + " pieces");
    }
    const std::int64_t extent = batch.leading()[dim];
    return split(batch, dim, std::max<std::int64_t>(extent / count + (extent % count != 0 ? 1 : 0), 1));
}

Result<std::vector<Batch>> unbind(const Batch& batch, std::uint32_t dim) {
    TENON_TRY(check_dim(batch, dim));
    std::vector<Batch> out;
    for (std::int64_t i = 0; i < batch.leading()[dim]; ++i) {
        out.push_back(batch.index(dim, i));
    }
    return out;
}

}  // namespace tenon
