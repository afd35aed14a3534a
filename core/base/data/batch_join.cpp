// SPDX-License-Identifier: Apache-2.0
// Joining batches: stack and cat.
#include "base/data/batch.hpp"

namespace tenon {
namespace {

// Whether all batches have the columns of the first one and the same shapes, apart from the leading dimensions.
Status check_alike(std::span<const Batch> batches, std::string_view what) {
    if (batches.empty()) {
        return input_problem("there are no batches to " + std::string(what));
    }
    const Batch& first = batches[0];
    for (std::size_t i = 1; i < batches.size(); ++i) {
        const std::string other = "batch " + std::to_string(i);
        if (batches[i].columns().size() > first.columns().size()) {
            for (const BatchColumn& column : batches[i].columns()) {
                if (first.find(column.key) == nullptr) {
                    return input_problem("cannot " + std::string(what) + ": " + other + " has a column '" + column.key +
                                         "', but batch 0 does not");
                }
            }
        }
        for (const BatchColumn& column : first.columns()) {
            const View* const view = batches[i].find(column.key);
            if (view == nullptr) {
                return input_problem("cannot " + std::string(what) + ": batch 0 has a column '" + column.key +
                                     "', but " + other + " does not");
            }
            const Shape a = tail(column.view.shape, first.leading().rank);
            const Shape b = tail(view->shape, batches[i].leading().rank);
            if (view->dtype != column.view.dtype || a != b) {
                return input_problem("cannot " + std::string(what) + ": '" + column.key + "' is " +
                                     std::string(name_of(column.view.dtype)) + " " + to_string(a) +
                                     " in batch 0, but " + std::string(name_of(view->dtype)) + " " + to_string(b) +
                                     " in " + other);
            }
        }
    }
    return {};
}

Problem shapes_differ(std::string_view what, const Shape& a, std::size_t i, const Shape& b) {
    return input_problem("cannot " + std::string(what) + ": batch 0 is " + to_string(a) + " and batch " +
                         std::to_string(i) + " is " + to_string(b));
}

}  // namespace

Result<Batch> stack(std::span<const Batch> batches, std::uint32_t dim) {
    TENON_TRY(check_alike(batches, "stack"));
    const Shape& each = batches[0].leading();
    assert(dim <= each.rank);
    for (std::size_t i = 1; i < batches.size(); ++i) {
        if (batches[i].leading() != each) {
            return shapes_differ("stack", each, i, batches[i].leading());
        }
    }
    if (each.rank == kMaxRank) {
        return input_problem("cannot stack batches of " + std::to_string(kMaxRank) + " leading dimensions");
    }
    const Shape leading =
        join(join(head(each, dim), Shape{static_cast<std::int64_t>(batches.size())}), tail(each, dim));
    Result<Batch> out = zeros_like(batches[0], leading);
    for (std::size_t i = 0; out && i < batches.size(); ++i) {
        for (const BatchColumn& column : out->columns()) {
            copy(*batches[i].find(column.key), column.view.index(dim, static_cast<std::int64_t>(i)));
        }
    }
    return out;
}

Result<Batch> cat(std::span<const Batch> batches, std::uint32_t dim) {
    TENON_TRY(check_alike(batches, "cat"));
    Shape leading = batches[0].leading();
    assert(dim < leading.rank);
    for (std::size_t i = 1; i < batches.size(); ++i) {
        Shape same = batches[i].leading();
        if (same.rank > dim) {
            same.extent[dim] = batches[0].leading()[dim];
        }
        if (same != batches[0].leading()) {
            return shapes_differ("cat", batches[0].leading(), i, batches[i].leading());
        }
        leading.extent[dim] += batches[i].leading()[dim];
    }
    Result<Batch> out = zeros_like(batches[0], leading);
    std::int64_t first = 0;
    for (std::size_t i = 0; out && i < batches.size(); ++i) {
        const std::int64_t count = batches[i].leading()[dim];
        for (const BatchColumn& column : out->columns()) {
            copy(*batches[i].find(column.key), column.view.slice(dim, first, count));
        }
        first += count;
    }
    return out;
}

}  // namespace tenon
