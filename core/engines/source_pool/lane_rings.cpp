// SPDX-License-Identifier: Apache-2.0
#include "engines/source_pool/lane_rings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <vector>

namespace tenon {
namespace {

constexpr std::uint32_t kBefore = 0;  // slots of the desk: before and after a step
constexpr std::uint32_t kAfter = 1;

}  // namespace

Result<Storage> LaneRings::make_desk(const Storage& rings) {
    std::vector<StorageColumn> columns;
    std::ranges::copy_if(rings.columns(), std::back_inserter(columns),
                         [](const StorageColumn& column) { return !is_flag_column(column.key); });
    return Storage::make(std::move(columns), 2, rings.lanes());
}

void LaneRings::begin(const Storage& desk, std::span<const std::uint32_t> lanes) {
    std::vector<std::uint8_t> begins(rings_.lanes());
    for (const std::uint32_t lane : lanes) {
        begins[lane] = 1;
    }
    rings_.begin_episodes(begins.data());
    for (const std::uint32_t lane : lanes) {
        copy_head(desk, kBefore, lane);
    }
}

void LaneRings::take(Storage& desk, std::span<const std::uint32_t> lanes) {
    for (const std::uint32_t lane : lanes) {
        const bool done = desk.flags().ended(kBefore, lane);
        const std::uint32_t slot = rings_.ring().lane_head(lane);
        copy_head(desk, kBefore, lane);
        for (std::size_t i = 0; done && i < rings_.columns().size(); ++i) {
            const StorageColumn& to = rings_.columns()[i];
            if (to.final.data != nullptr) {
                std::memcpy(row_at(to.final, slot, lane), row_at(desk.columns()[i].final, kBefore, lane),
                            row_bytes(to));
            }
        }
        rings_.ring().advance_lane(lane);
        desk.flags().is_init[desk.lanes() + lane] = done ? 1 : 0;
        copy_head(desk, kAfter, lane);
        for (const StorageColumn& column : desk.columns()) {
            std::memcpy(row_at(column.view, kBefore, lane), row_at(column.view, kAfter, lane), row_bytes(column));
        }
    }
}

void LaneRings::copy_head(const Storage& desk, std::uint32_t slot, std::uint32_t lane) {
    const std::uint32_t head = rings_.ring().lane_head(lane);
    for (std::size_t i = 0; i < rings_.columns().size(); ++i) {
        const StorageColumn& to = rings_.columns()[i];
        std::memcpy(row_at(to.view, head, lane), row_at(desk.columns()[i].view, slot, lane), row_bytes(to));
    }
}

}  // namespace tenon
