// SPDX-License-Identifier: Apache-2.0
// Copies columns between the host's storage and the memory shared with a worker. The storage itself is not shared, so
// that a worker's out-of-bounds writes damage only its own lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/isolation/messages.hpp"
#include "tenon/abi/tensor.h"

namespace tenon {

// The slots of a call: those of the host's storage; the worker's are 0 and 1.
struct ExchangedSlots {
    std::uint32_t slot = 0;
    std::uint32_t next = 0;
};

class Exchange {
public:
    // Lays out [2][lanes] of each column, for the lanes from first_lane on. Columns that share memory keep sharing it.
    // The columns are borrowed until the next layout is made.
    Exchange() = default;
    Exchange(std::span<const tn_column* const> inner, std::span<const tn_column* const> outer, std::uint32_t first_lane,
             std::uint32_t lanes);

    [[nodiscard]] const ColumnsMessage& message() const { return message_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    // Copies the lanes [first, first + count), relative to the worker's first lane.
    void bring(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) const;
    void fetch(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) const;

    [[nodiscard]] std::uint8_t* lane_status(std::byte* room) const {
        return reinterpret_cast<std::uint8_t*>(room + message_.status_offset);
    }

private:
    struct Column {
        std::byte* host = nullptr;  // of slot 0 and the worker's first lane
        std::size_t slot_bytes = 0;
        std::size_t lane_bytes = 0;
        std::size_t row_bytes = 0;
        std::size_t offset = 0;
        std::uint32_t slots = 2;
    };

    SharedColumn place(const tn_column& column, std::uint32_t first_lane);
    void move(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count, bool in) const;

    std::vector<Column> columns_;
    ColumnsMessage message_;
    std::size_t bytes_ = 0;
};

}  // namespace tenon
