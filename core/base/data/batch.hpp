// SPDX-License-Identifier: Apache-2.0
// A batch: named columns that share their leading dimensions. Keys are dotted paths; a path to several columns ("next")
// is a branch. Slicing, indexing, selecting and renaming return views; functions that copy say so. All operations
// preserve columns that they do not mention. More of them: batch_shape.hpp (permute, expand, split), batch_edit.hpp
// (update, where, pop), batch_ragged.hpp (padding), batch_text.hpp, batch_memory.hpp (one block), batch_table.hpp
// (printing).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/view.hpp"
#include "base/error/result.hpp"

namespace tenon {

struct BatchColumn {
    std::string key;
    View view;
    std::shared_ptr<const void> owner;  // keeps the memory alive; null if it is borrowed
};

class Batch {
public:
    explicit Batch(const Shape& leading = {}) : leading_(leading) {}

    [[nodiscard]] const Shape& leading() const { return leading_; }
    [[nodiscard]] std::span<const BatchColumn> columns() const { return columns_; }
    [[nodiscard]] const View* find(std::string_view key) const;
    [[nodiscard]] Result<View> get(std::string_view key) const;

    // Sets the view of a key, replacing an earlier one. The view's first dimensions must be those of the batch. A key
    // is either a column or a branch, not both. Borrowed memory must outlive every batch that refers to it.
    Status set(std::string key, const View& view, std::shared_ptr<const void> owner = nullptr);
    // Adds a column of zeros with its own memory.
    Result<View> add(std::string key, DType dtype, const Shape& row);

    // Views. `dim` is one of the leading dimensions.
    [[nodiscard]] Batch slice(std::uint32_t dim, std::int64_t first, std::int64_t count) const;
    [[nodiscard]] Batch index(std::uint32_t dim, std::int64_t at) const;
    // The columns below a branch, without its prefix; an empty batch if there is no such branch.
    [[nodiscard]] Batch sub(std::string_view branch) const;
    // The named columns and branches, in the order of `keys`.
    [[nodiscard]] Result<Batch> select(std::span<const std::string_view> keys) const;
    // Renames a column or a whole branch.
    Status rename(std::string_view from, std::string_view to);
    // Adds all columns of another batch below a branch (at the root if it is empty).
    Status put(std::string_view branch, const Batch& other);

    // A batch with the same keys and these leading dimensions. `change` makes each view of it from the present one; the
    // result must begin with these dimensions and refer to the same memory.
    template <class F>
    [[nodiscard]] Batch with_views(const Shape& leading, F&& change) const {
        Batch out(leading);
        out.columns_.reserve(columns_.size());
        for (const BatchColumn& column : columns_) {
            out.columns_.push_back({.key = column.key, .view = change(column.view), .owner = column.owner});
        }
        return out;
    }

    // Views the columns whose strides allow it, and copies the others.
    [[nodiscard]] Result<Batch> reshape(const Shape& leading) const;

    // Copies. take: the rows with these numbers, along the first dimension. mask: the rows whose byte in a dense bool
    // view of the leading shape is 1, as a batch with one leading dimension. clone: everything, dense.
    [[nodiscard]] Result<Batch> take(std::span<const std::int64_t> rows) const;
    [[nodiscard]] Result<Batch> mask(const View& keep) const;
    [[nodiscard]] Result<Batch> clone() const;

private:
    Status admit(std::string_view key, std::string_view instead_of) const;

    Shape leading_;
    std::vector<BatchColumn> columns_;
};

// A batch of zeros with the columns of another one, and other leading dimensions.
Result<Batch> zeros_like(const Batch& batch, const Shape& leading);

// Copies. All batches must have the same columns with the same dtypes and rows. stack adds a new leading dimension
// `dim`; cat concatenates along an existing one, the only one in which they may differ.
Result<Batch> stack(std::span<const Batch> batches, std::uint32_t dim);
Result<Batch> cat(std::span<const Batch> batches, std::uint32_t dim);

}  // namespace tenon
