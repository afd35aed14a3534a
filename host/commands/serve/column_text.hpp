// SPDX-License-Identifier: Apache-2.0
// Rows of a column as JSON: nested lists of numbers. What is read has the bits that its digits mean, correctly rounded
// to the column's type, and what is written reads back to the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "base/json/write.hpp"
#include "commands/serve/json_cursor.hpp"

namespace tenon {

std::size_t row_bytes(const Spec& spec);

struct ReadRows {
    std::uint32_t count = 0;
    bool single = false;  // one row, without a dimension of rows
    std::vector<std::byte> bytes;
};

// One row or a list of them. A sentence in `fault` says what does not fit the spec; if it is empty, the text is no
// JSON.
std::optional<ReadRows> read_rows(JsonCursor& cursor, const Spec& spec, std::uint32_t most, std::string& fault);

// single: the only row, without a dimension of rows.
void write_rows(JsonWriter& json, const Spec& spec, std::span<const std::byte> rows, bool single);

// The fault of a row of numbers in memory; empty: none.
std::string fault_of_row(const Spec& spec, const std::byte* row);

}  // namespace tenon
