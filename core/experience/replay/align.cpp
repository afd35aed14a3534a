// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/align.hpp"

#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

namespace tenon {
namespace {

// Each row moves forward by `by` slots. Rows move along cycles, so that one row's memory is enough.
void turn_lane(Storage& storage, std::uint32_t lane, std::uint32_t by) {
    const std::uint32_t cycles = by == 0 ? 0 : std::gcd(by, storage.slots());
    std::vector<std::byte> carried;
    std::vector<std::byte> found;
    const auto turn = [&](const View& view, std::size_t bytes) {
        carried.resize(bytes);
        found.resize(bytes);
        for (std::uint32_t begin = 0; begin < cycles; ++begin) {
            std::memcpy(carried.data(), row_at(view, begin, lane), bytes);
            std::uint32_t slot = begin;
            do {
                slot = static_cast<std::uint32_t>((std::uint64_t{slot} + by) % storage.slots());
                std::memcpy(found.data(), row_at(view, slot, lane), bytes);
                std::memcpy(row_at(view, slot, lane), carried.data(), bytes);
                carried.swap(found);
            } while (slot != begin);
        }
    };
    for (const StorageColumn& column : storage.columns()) {
        turn(column.view, row_bytes(column));
        if (column.final.data != nullptr) {
            turn(column.final, row_bytes(column));
        }
    }
}

}  // namespace

void align(Storage& storage) {
    const Ring& ring = storage.ring();
    if (!ring.is_uneven()) {
        return;
    }
    Ring::Position position = ring.position();
    position.head = ring.live_slots() - 1;
    for (std::uint32_t lane = 0; lane < ring.lanes(); ++lane) {
        turn_lane(storage, lane, (position.head + ring.slots() - ring.lane_head(lane)) % ring.slots());
    }
    storage.stand_at(position);
}

}  // namespace tenon
