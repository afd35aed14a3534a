// SPDX-License-Identifier: Apache-2.0
#include "base/data/column_table.hpp"

#include <utility>

namespace tenon {

void ColumnTable::add(std::string key, const View& view) {
    Entry& entry = entries_.emplace_back(Entry{.key = std::move(key), .view = view, .column = {}});
    entry.column.struct_size = sizeof(tn_column);
    entry.column.key = {entry.key.data(), entry.key.size()};
    entry.column.tensor = entry.view.tensor();
    pointers_.push_back(&entry.column);
}

const View* ColumnTable::find(std::string_view key) const {
    for (const Entry& entry : entries_) {
        if (entry.key == key) {
            return &entry.view;
        }
    }
    return nullptr;
}

}  // namespace tenon
