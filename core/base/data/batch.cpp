// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch.hpp"

#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/data/slab.hpp"

namespace tenon {
namespace {

std::string no_column(std::string_view key, std::span<const BatchColumn> columns) {
    const auto keys = mapped<std::string_view>(columns, &BatchColumn::key);
    return "the batch has no column '" + std::string(key) + "'" + did_you_mean(key, keys);
}

}  // namespace

const View* Batch::find(std::string_view key) const {
    const auto at = std::ranges::find(columns_, key, &BatchColumn::key);
    return at == columns_.end() ? nullptr : &at->view;
}

Result<View> Batch::get(std::string_view key) const {
    if (const View* const view = find(key)) {
        return *view;
    }
    return input_problem(no_column(key, columns_));
}

// Whether `key` may be a column, if the column or branch `instead_of` is removed.
Status Batch::admit(std::string_view key, std::string_view instead_of) const {
    if (const std::string fault = key_fault(key); !fault.empty()) {
        return input_problem("'" + std::string(key) + "' cannot be the key of a column: it " + fault);
    }
    for (const BatchColumn& column : columns_) {
        const bool goes = !instead_of.empty() && within(column.key, instead_of);
        if (!goes && column.key != key && (within(column.key, key) || within(key, column.key))) {
            return input_problem("'" + std::string(key) + "' cannot be a column together with '" + column.key +
                                 "': one key continues the other");
        }
    }
    return {};
}

Status Batch::set(std::string key, const View& view, std::shared_ptr<const void> owner) {
    TENON_TRY(admit(key, ""));
    if (!starts_with(view.shape, leading_)) {
        return input_problem("'" + key + "' has the shape " + to_string(view.shape) +
                             ", which does not begin with the batch's " + to_string(leading_));
    }
    const auto at = std::ranges::find(columns_, key, &BatchColumn::key);
    if (at != columns_.end()) {
        at->view = view;
        at->owner = std::move(owner);
    } else {
        columns_.push_back({.key = std::move(key), .view = view, .owner = std::move(owner)});
    }
    return {};
}

Result<View> Batch::add(std::string key, DType dtype, const Shape& row) {
    if (leading_.rank + row.rank > kMaxRank) {
        return input_problem("'" + key + "' would have more than " + std::to_string(kMaxRank) + " dimensions");
    }
    View view = dense(nullptr, dtype, join(leading_, row));
    Slab slab = TENON_TRY(Slab::make(view.bytes()));
    view.data = slab.data();
    TENON_TRY(set(std::move(key), view, std::make_shared<const Slab>(std::move(slab))));
    return view;
}

Batch Batch::slice(std::uint32_t dim, std::int64_t first, std::int64_t count) const {
    assert(dim < leading_.rank);
    Shape leading = leading_;
    leading.extent[dim] = count;
    return with_views(leading, [&](const View& view) { return view.slice(dim, first, count); });
}

Batch Batch::index(std::uint32_t dim, std::int64_t at) const {
    assert(dim < leading_.rank);
    const Shape leading = join(head(leading_, dim), tail(leading_, dim + 1));
    return with_views(leading, [&](const View& view) { return view.index(dim, at); });
}

Batch Batch::sub(std::string_view branch) const {
    Batch out(leading_);
    for (const BatchColumn& column : columns_) {
        if (within(column.key, branch) && column.key.size() > branch.size()) {
            out.columns_.push_back(
                {.key = column.key.substr(branch.size() + 1), .view = column.view, .owner = column.owner});
        }
    }
    return out;
}

Result<Batch> Batch::select(std::span<const std::string_view> keys) const {
    Batch out(leading_);
    for (const std::string_view key : keys) {
        bool found = false;
        for (const BatchColumn& column : columns_) {
            if (within(column.key, key)) {
                found = true;
                if (out.find(column.key) == nullptr) {
                    out.columns_.push_back(column);
                }
            }
        }
        if (!found) {
            return input_problem(no_column(key, columns_));
        }
    }
    return out;
}

Status Batch::rename(std::string_view from, std::string_view to) {
    std::vector<BatchColumn*> moved;
    std::vector<std::string> keys;
    for (BatchColumn& column : columns_) {
        if (within(column.key, from)) {
            moved.push_back(&column);
            keys.push_back(std::string(to) + column.key.substr(from.size()));
            TENON_TRY(admit(keys.back(), from));
            const View* const existing = find(keys.back());
            if (existing != nullptr && !within(keys.back(), from)) {
                return input_problem("'" + column.key + "' cannot become '" + keys.back() +
                                     "': the batch has one already");
            }
        }
    }
    if (moved.empty()) {
        return input_problem(no_column(from, columns_));
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i]->key = std::move(keys[i]);
    }
    return {};
}

Status Batch::put(std::string_view branch, const Batch& other) {
    for (const BatchColumn& column : other.columns_) {
        TENON_TRY(set(join_keys(branch, column.key), column.view, column.owner));
    }
    return {};
}

Result<Batch> Batch::reshape(const Shape& leading) const {
    if (leading.elements() != leading_.elements()) {
        return input_problem("a batch of " + to_string(leading_) + " cannot be reshaped to " + to_string(leading));
    }
    Batch out(leading);
    for (const BatchColumn& column : columns_) {
        const Shape row = tail(column.view.shape, leading_.rank);
        if (leading.rank + row.rank > kMaxRank) {
            return input_problem("'" + column.key + "' would have more than " + std::to_string(kMaxRank) +
                                 " dimensions");
        }
        if (const auto view = column.view.reshape(join(leading, row))) {
            out.columns_.push_back({.key = column.key, .view = *view, .owner = column.owner});
            continue;
        }
        View fresh = TENON_TRY(out.add(column.key, column.view.dtype, row));
        copy(column.view, dense(fresh.data, fresh.dtype, column.view.shape));
    }
    return out;
}

Result<Batch> Batch::take(std::span<const std::int64_t> rows) const {
    if (leading_.rank == 0) {
        return input_problem("a batch without leading dimensions has no rows");
    }
    Shape leading = leading_;
    leading.extent[0] = static_cast<std::int64_t>(rows.size());
    for (const std::int64_t row : rows) {
        if (row < 0 || row >= leading_[0]) {
            return input_problem("row " + std::to_string(row) + " is not in a batch of " + to_string(leading_));
        }
    }
    Batch out(leading);
    for (const BatchColumn& column : columns_) {
        View fresh = TENON_TRY(out.add(column.key, column.view.dtype, tail(column.view.shape, leading_.rank)));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            copy(column.view.index(0, rows[i]), fresh.index(0, static_cast<std::int64_t>(i)));
        }
    }
    return out;
}

Result<Batch> Batch::mask(const View& keep) const {
    if (size_of(keep.dtype) != 1 || keep.shape != leading_ || !keep.contiguous()) {
        return input_problem("a mask must be bool " + to_string(leading_) + " and dense, not " +
                             std::string(name_of(keep.dtype)) + " " + to_string(keep.shape));
    }
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < leading_.elements(); ++i) {
        if (keep.as<std::uint8_t>()[i] != 0) {
            rows.push_back(i);
        }
    }
    const Result<Batch> flat = reshape(Shape{leading_.elements()});
    return flat ? flat->take(rows) : flat;
}

Result<Batch> Batch::clone() const {
    Result<Batch> out = zeros_like(*this, leading_);
    for (std::size_t i = 0; out && i < columns_.size(); ++i) {
        copy(columns_[i].view, out->columns()[i].view);
    }
    return out;
}

Result<Batch> zeros_like(const Batch& batch, const Shape& leading) {
    Batch out(leading);
    for (const BatchColumn& column : batch.columns()) {
        TENON_TRY(out.add(column.key, column.view.dtype, tail(column.view.shape, batch.leading().rank)));
    }
    return out;
}

}  // namespace tenon
