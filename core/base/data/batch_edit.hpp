// SPDX-License-Identifier: Apache-2.0
// Changes of a batch: which columns it has, what they are called, and what they hold.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/data/batch.hpp"

namespace tenon {

// Columns. exclude: all but the named columns and branches, as views. pop: removes a column or branch from the batch,
// and returns it. update: sets every column of `other`, as views; the batch is unchanged if one cannot be set.
Result<Batch> exclude(const Batch& batch, std::span<const std::string_view> keys);
Result<Batch> pop(Batch& batch, std::string_view key);
Status update(Batch& batch, const Batch& other);

// Keys with another separator in place of the dots, "next_observation", and the reverse. Views.
Result<Batch> flatten_keys(const Batch& batch, std::string_view separator);
Result<Batch> unflatten_keys(const Batch& batch, std::string_view separator);

// Elements, in place: the memory of the batch is written, and with it that of every view of it. zero: all elements.
// write: the elements of every column of `from`, a batch of the same leading dimensions, to the column of the same key;
// other columns stay. set_at: the rows of `from` to these rows along the first dimension, the reverse of Batch::take;
// of a row that is named twice, the last one counts. Nothing is written if something does not fit.
void zero(const Batch& batch);
Status write(const Batch& to, const Batch& from);
Status set_at(const Batch& to, std::span<const std::int64_t> rows, const Batch& from);

// A copy with the rows of `a` where the condition is 1 and those of `b` elsewhere. The condition is bool and has the
// leading shape; both batches have the same columns.
Result<Batch> where(const View& condition, const Batch& a, const Batch& b);

// A batch of the same columns in memory of their own, which f(key, from, to) fills one by one. (A loop over
// Batch::columns() changes them in place.)
template <class F>
Result<Batch> map_columns(const Batch& batch, F&& f) {
    Result<Batch> out = zeros_like(batch, batch.leading());
    for (std::size_t i = 0; out && i < batch.columns().size(); ++i) {
        f(std::string_view(batch.columns()[i].key), batch.columns()[i].view, out->columns()[i].view);
    }
    return out;
}

}  // namespace tenon
