// SPDX-License-Identifier: Apache-2.0
// A column that checks pass to a plugin. Every byte of it is known before and after a call, and the neighbouring pages
// are protected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/view.hpp"
#include "commands/check/guarded.hpp"

namespace tenon {

enum class LaneLayout {
    kDense,
    kGaps,     // padding between the rows and between the slots
    kOneSlot,  // all slots of a column share memory, as behind transforms
};

struct DriveColumn {
    enum class Kind { kAction, kNow, kNext, kFinal };  // kNow: at the slot of a step, kNext: at the slot after it

    std::string key;
    Kind kind = Kind::kNow;
    std::size_t row_bytes = 0;
    View view;  // [slot][lane][row]
    GuardedMemory memory;

    // Has no memory yet.
    static DriveColumn of(const std::string& key, Kind kind, DType dtype, const Shape& row, std::uint32_t slots,
                          std::uint32_t lanes);
    // Allocates memory with this layout and sets all bytes to `fill`.
    Status lay_out(LaneLayout layout, unsigned char fill);

    [[nodiscard]] void* row(std::uint32_t slot, std::uint32_t lane) const;
    [[nodiscard]] int fill_of(unsigned char fill) const { return view.dtype == DType::kBool ? fill & 1 : fill; }

    // All accessible bytes, for a later comparison.
    [[nodiscard]] std::vector<std::byte> reachable() const;
    // What has changed since, except for rows for which `may` is true: the rest of a sentence that begins with
    // "writes".
    [[nodiscard]] std::string changed(std::vector<std::byte> before,
                                      const std::function<bool(std::uint32_t slot, std::uint32_t lane)>& may) const;
};

// Sets all elements of a row to the value, or to the nearest one that the element type has.
void fill_row(const DriveColumn& column, std::uint32_t slot, std::uint32_t lane, double value);

// Lays out all columns and lists them in the table.
Status lay_out(std::vector<DriveColumn>& columns, ColumnTable& table, LaneLayout layout, unsigned char fill);

}  // namespace tenon
