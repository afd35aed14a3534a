// SPDX-License-Identifier: Apache-2.0
// Named views in the form that a plugin's bind reads.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/view.hpp"
#include "tenon/abi/tensor.h"

namespace tenon {

// Owns keys, shapes and strides, so that its entries are valid as long as the table; the data is borrowed.
class ColumnTable {
public:
    ColumnTable() = default;
    // NOLINTBEGIN(performance-noexcept-move-constructor): moving a deque may allocate
    ColumnTable(ColumnTable&&) = default;
    ColumnTable& operator=(ColumnTable&&) = default;
    // NOLINTEND(performance-noexcept-move-constructor)
    ColumnTable(const ColumnTable&) = delete;
    ColumnTable& operator=(const ColumnTable&) = delete;
    ~ColumnTable() = default;

    void add(std::string key, const View& view);

    [[nodiscard]] const View* find(std::string_view key) const;
    [[nodiscard]] const tn_column* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint64_t size() const { return pointers_.size(); }

private:
    struct Entry {
        std::string key;
        View view;
        tn_column column;
    };
    std::deque<Entry> entries_;  // entries contain pointers into themselves and must not move
    std::vector<const tn_column*> pointers_;
};

}  // namespace tenon
