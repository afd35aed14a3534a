// SPDX-License-Identifier: Apache-2.0
// A batch: named columns that share their leading dimensions. Keys are dotted paths, a path to several columns ("next")
// is a branch. Slicing, indexing, selecting and renaming make views; what copies says so. Columns nobody asked about
// pass through everything.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/slab.hpp"
#include "data/view.hpp"
#include "error/result.hpp"

namespace tenon {

struct BatchColumn {
    std::string key;
    View view;
    std::shared_ptr<const Slab> owner;  // none where the memory is borrowed
};

class Batch {
public:
    explicit Batch(const Shape& leading = {}) : leading_(leading) {}

    [[nodiscard]] const Shape& leading() const { return leading_; }
    [[nodiscard]] std::span<const BatchColumn> columns() const { return columns_; }
    [[nodiscard]] const View* find(std::string_view key) const;
    [[nodiscard]] Result<View> get(std::string_view key) const;

    // Puts a view under a key, in place of the one it had. The view's first extents must be the batch's; a key may be a
    // column or a branch, not both. Borrowed memory must outlive every batch that shows it.
    Status set(std::string key, const View& view, std::shared_ptr<const Slab> owner = nullptr);
    // Adds a column of zeros with memory of its own.
    Result<View> add(std::string key, DType dtype, const Shape& row);

    // Views. Dimensions are leading ones.
    [[nodiscard]] Batch slice(std::uint32_t dim, std::int64_t first, std::int64_t count) const;
    [[nodiscard]] Batch index(std::uint32_t dim, std::int64_t at) const;
    // The columns below a branch, without its prefix; a batch without columns where there is none.
    [[nodiscard]] Batch sub(std::string_view branch) const;
    // The named columns and branches, in the order of `keys`.
    [[nodiscard]] Result<Batch> select(std::span<const std::string_view> keys) const;
    // Gives a column or a whole branch another name.
    Status rename(std::string_view from, std::string_view to);
    // Puts all columns of another batch under a branch (or, with an empty one, at the root).
    Status put(std::string_view branch, const Batch& other);

    // A view of every column whose strides allow it, a copy of the others.
    [[nodiscard]] Result<Batch> reshape(const Shape& leading) const;

    // Copies. take: the rows of these numbers, along the first dimension. mask: those whose byte in a dense bool view
    // of the leading shape is 1, as a batch of one leading dimension. clone: everything, dense.
    [[nodiscard]] Result<Batch> take(std::span<const std::int64_t> rows) const;
    [[nodiscard]] Result<Batch> mask(const View& keep) const;
    [[nodiscard]] Result<Batch> clone() const;

private:
    template <class F>
    [[nodiscard]] Batch with_views(const Shape& leading, F&& change) const;
    Status admit(std::string_view key, std::string_view instead_of) const;

    Shape leading_;
    std::vector<BatchColumn> columns_;
};

// Copies. All batches must have the same columns with the same dtypes and rows. stack puts them along a new leading
// dimension `dim`; cat along an existing one, in which alone they may differ.
Result<Batch> stack(std::span<const Batch> batches, std::uint32_t dim);
Result<Batch> cat(std::span<const Batch> batches, std::uint32_t dim);

}  // namespace tenon
