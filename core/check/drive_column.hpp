// SPDX-License-Identifier: Apache-2.0
// A column that checks give to a plugin: its every byte is known, before a call and after it, and the pages beside it
// may not be touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/guarded.hpp"
#include "data/column_table.hpp"
#include "data/view.hpp"

namespace tenon {

enum class LaneLayout {
    kDense,
    kGaps,     // bytes that belong to nobody between the rows and between the slots
    kOneSlot,  // all slots of a column are one place, as they are where transforms stand in front of an env
};

struct DriveColumn {
    enum class Kind { kAction, kNow, kNext, kFinal };  // kNow: at the slot of a step, kNext: at the one after

    std::string key;
    Kind kind = Kind::kNow;
    std::size_t row_bytes = 0;
    View view;  // [slot][lane][row]
    GuardedMemory memory;

    // Without memory.
    static DriveColumn of(const std::string& key, Kind kind, DType dtype, const Shape& row, std::uint32_t slots,
                          std::uint32_t lanes);
    // Memory of that layout, all bytes alike.
    Status lay_out(LaneLayout layout, unsigned char fill);

    [[nodiscard]] void* row(std::uint32_t slot, std::uint32_t lane) const;
    [[nodiscard]] int fill_of(unsigned char fill) const { return view.dtype == DType::kBool ? fill & 1 : fill; }

    // All that can be touched, to be compared with later.
    [[nodiscard]] std::vector<std::byte> reachable() const;
    // What has changed since, rows for which `may` is true left out; the rest of a sentence that begins with "writes".
    [[nodiscard]] std::string changed(std::vector<std::byte> before,
                                      const std::function<bool(std::uint32_t slot, std::uint32_t lane)>& may) const;
};

// All of them, as the table then lists them.
Status lay_out(std::vector<DriveColumn>& columns, ColumnTable& table, LaneLayout layout, unsigned char fill);

}  // namespace tenon
