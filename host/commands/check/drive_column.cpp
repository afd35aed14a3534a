// SPDX-License-Identifier: Apache-2.0
#include "commands/check/drive_column.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "experience/replay/storage.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kGap = 3;  // elements

// Sets the strides and returns the number of bytes they span.
std::size_t spread(DriveColumn& column, LaneLayout layout) {
    View& view = column.view;
    const std::int64_t row = tail(view.shape, 2).elements();
    const bool has_gaps = layout == LaneLayout::kGaps;
    view.strides[1] = row + (has_gaps ? kGap : 0);
    view.strides[0] = view.strides[1] * view.shape[1] + (has_gaps ? 2 * kGap : 0);
    const std::int64_t all = view.strides[0] * view.shape[0];
    // The storage's own columns, flags and policy outputs, never share one slot.
    const bool folds = layout == LaneLayout::kOneSlot && column.key != "terminated" && column.key != "truncated";
    view.strides[0] = folds ? 0 : view.strides[0];
    return static_cast<std::size_t>(all) * size_of(view.dtype);
}

}  // namespace

DriveColumn DriveColumn::of(const std::string& key, Kind kind, DType dtype, const Shape& row, std::uint32_t slots,
                            std::uint32_t lanes) {
    DriveColumn out;
    out.key = key;
    out.kind = kind;
    out.row_bytes = static_cast<std::size_t>(row.elements()) * size_of(dtype);
    out.view = dense(nullptr, dtype, join(Shape{slots, lanes}, row));
    return out;
}

Status DriveColumn::lay_out(LaneLayout layout, unsigned char fill) {
    memory = TENON_TRY(GuardedMemory::make(spread(*this, layout), key));
    view.data = memory.data();
    std::memset(memory.reachable().data(), fill_of(fill), memory.reachable().size());
    return {};
}

Status lay_out(std::vector<DriveColumn>& columns, ColumnTable& table, LaneLayout layout, unsigned char fill) {
    table = ColumnTable();
    for (DriveColumn& column : columns) {
        TENON_TRY(column.lay_out(layout, fill));
        table.add(column.key, column.view);
    }
    return {};
}

void* DriveColumn::row(std::uint32_t slot, std::uint32_t lane) const {
    return row_at(view, slot, lane);
}

std::vector<std::byte> DriveColumn::reachable() const {
    const auto all = memory.reachable();
    return {all.begin(), all.end()};
}

std::string DriveColumn::changed(std::vector<std::byte> before,
                                 const std::function<bool(std::uint32_t slot, std::uint32_t lane)>& may) const {
    const auto all = memory.reachable();
    for (std::uint32_t slot = 0; slot < view.shape[0]; ++slot) {
        for (std::uint32_t lane = 0; lane < view.shape[1]; ++lane) {
            const auto at = static_cast<std::size_t>(static_cast<std::byte*>(row(slot, lane)) - all.data());
            const std::byte* const now = all.data() + at;
            if (may(slot, lane)) {
                std::copy_n(now, row_bytes, before.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (std::memcmp(now, before.data() + at, row_bytes) != 0) {
                return "to '" + key + "' in slot " + std::to_string(slot) + " of lane " + std::to_string(lane) +
                       ", which this call must not write";
            }
        }
    }
    return std::memcmp(all.data(), before.data(), all.size()) == 0
               ? ""
               : "outside the rows of '" + key + "', whose strides are not dense";
}

void fill_row(const DriveColumn& column, std::uint32_t slot, std::uint32_t lane, double value) {
    with_element(column.view.dtype, [&](auto zero) {
        using T = decltype(zero);
        T element{};
        if constexpr (std::is_floating_point_v<T>) {
            element = static_cast<T>(value);
        } else {
            const double low = static_cast<double>(std::numeric_limits<T>::lowest());
            const double high = static_cast<double>(std::numeric_limits<T>::max()) / 2;
            element = static_cast<T>(std::clamp(value, low, high));
        }
        auto* const row = static_cast<T*>(column.row(slot, lane));
        std::fill_n(row, column.row_bytes / sizeof(T), element);
    });
}

}  // namespace tenon
