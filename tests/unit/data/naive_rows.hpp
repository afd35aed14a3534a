// SPDX-License-Identifier: Apache-2.0
// What a batch with other leading dimensions holds, by index arithmetic alone: the number of a row of the batch that it
// began as, for every index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/data/batch.hpp"

namespace tenon::test {

using Index = std::vector<std::int64_t>;

struct NaiveRows {
    Index extents;
    std::vector<std::int64_t> rows;

    static NaiveRows all(const Shape& leading) {
        NaiveRows out{.extents = {leading.extents().begin(), leading.extents().end()}, .rows = {}};
        out.rows.resize(static_cast<std::size_t>(leading.elements()));
        std::iota(out.rows.begin(), out.rows.end(), 0);
        return out;
    }

    [[nodiscard]] std::int64_t at(const Index& index) const {
        std::int64_t number = 0;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            number = number * extents[i] + index[i];
        }
        return rows[static_cast<std::size_t>(number)];
    }

    // Of these extents, with the row at `from(index)` of this one at every index.
    template <class F>
    [[nodiscard]] NaiveRows changed(const Index& to, F from) const {
        NaiveRows out{.extents = to, .rows = {}};
        Index index(to.size(), 0);
        const auto fill = [&](const auto& self, std::size_t dim) -> void {
            if (dim == to.size()) {
                out.rows.push_back(at(from(index)));
                return;
            }
            for (index[dim] = 0; index[dim] < to[dim]; ++index[dim]) {
                self(self, dim + 1);
            }
        };
        fill(fill, 0);
        return out;
    }
};

// Whether every column of `batch` has the rows of `from`, a dense batch, that `naive` says.
inline bool holds(const Batch& batch, const NaiveRows& naive, const Batch& from) {
    const auto extents = batch.leading().extents();
    if (!std::ranges::equal(extents, naive.extents) || batch.columns().size() != from.columns().size()) {
        return false;
    }
    for (const BatchColumn& column : from.columns()) {
        const View* const view = batch.find(column.key);
        const std::size_t row_bytes =
            column.view.bytes() / static_cast<std::size_t>(std::max<std::int64_t>(from.leading().elements(), 1));
        std::vector<std::byte> dense_copy(view == nullptr ? 0 : view->bytes());
        if (view == nullptr || dense_copy.size() != naive.rows.size() * row_bytes) {
            return false;
        }
        copy(*view, dense(dense_copy.data(), view->dtype, view->shape));
        for (std::size_t i = 0; i < naive.rows.size(); ++i) {
            const auto* const row =
                static_cast<const std::byte*>(column.view.data) + static_cast<std::size_t>(naive.rows[i]) * row_bytes;
            if (!std::equal(row, row + row_bytes, dense_copy.data() + i * row_bytes)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace tenon::test
