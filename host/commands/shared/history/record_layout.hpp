// SPDX-License-Identifier: Apache-2.0
// The names of a record of metrics.jsonl in their order: {"frames":1024,"train/loss":null}. Nearly all records of a run
// have the same names, so a line is compared with the names of the line before it and only its numbers are parsed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct RecordLayout {
    struct Value {
        std::string key;         // with what precedes it: `{"frames":`, `,"train/loss":`
        std::size_t column = 0;  // kUnread: its numbers are skipped
    };
    static constexpr std::size_t kUnread = static_cast<std::size_t>(-1);

    std::vector<Value> values;
};

// The names of a line without its newline; false if it is no flat object of numbers and nulls, which is all that this
// version writes.
bool names_of_record(std::string_view line, std::vector<std::string_view>& names);

// Reads the numbers of a line into `row`, by column; null is NaN. False if the line has other names or is no record.
bool read_record(std::string_view line, const RecordLayout& layout, std::span<double> row);

}  // namespace tenon
