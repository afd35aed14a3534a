// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/data/slab.hpp"

namespace tenon {
namespace {

std::size_t aligned(std::size_t bytes) {
    return (bytes + kSlabAlignment - 1) / kSlabAlignment * kSlabAlignment;
}

}  // namespace

Exchange::Exchange(std::span<const tn_column* const> inner, std::span<const tn_column* const> outer,
                   std::uint32_t first_lane, std::uint32_t lanes) {
    message_.lanes = lanes;
    bytes_ = aligned(lanes);  // lane_status
    for (const tn_column* const column : inner) {
        message_.inner.push_back(place(*column, first_lane));
    }
    for (const tn_column* const column : outer) {
        message_.outer.push_back(place(*column, first_lane));
    }
}

SharedColumn Exchange::place(const tn_column& column, std::uint32_t first_lane) {
    const tn_tensor& tensor = column.tensor;
    const auto dtype = static_cast<DType>(tensor.dtype);
    const Shape row(std::span(tensor.shape + 2, tensor.rank - 2));
    const auto element = static_cast<std::int64_t>(size_of(dtype));
    Column own{.host = static_cast<std::byte*>(tensor.data) + std::int64_t{first_lane} * tensor.strides[1] * element,
               .slot_bytes = static_cast<std::size_t>(tensor.strides[0] * element),
               .lane_bytes = static_cast<std::size_t>(tensor.strides[1] * element),
               .row_bytes = static_cast<std::size_t>(row.elements() * element),
               .offset = bytes_,
               .slots = tensor.strides[0] == 0 ? 1U : 2U};
    const auto same = std::ranges::find(columns_, own.host, &Column::host);
    if (same != columns_.end()) {
        own.offset = same->offset;
    } else {
        bytes_ += aligned(own.slots * own.row_bytes * message_.lanes);
        columns_.push_back(own);
    }
    return {.key = std::string(column.key.data, column.key.size),
            .dtype = dtype,
            .row = row,
            .slots = own.slots,
            .offset = own.offset};
}

void Exchange::move(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count, bool in) const {
    const std::uint32_t places[] = {slots.slot, slots.next};
    for (const Column& column : columns_) {
        const std::size_t whole = column.row_bytes * message_.lanes;
        const std::uint32_t used = slots.slot == slots.next ? 1 : column.slots;
        for (std::uint32_t slot = 0; slot < used; ++slot) {
            std::byte* host = column.host + places[slot] * column.slot_bytes + first * column.lane_bytes;
            std::byte* shared = room + column.offset + slot * whole + first * column.row_bytes;
            const bool packed = column.lane_bytes == column.row_bytes;
            const std::size_t bytes = packed ? column.row_bytes * count : column.row_bytes;
            for (std::uint32_t i = 0; i < (packed ? 1 : count); ++i) {
                std::memcpy(in ? shared : host, in ? host : shared, bytes);
                host += column.lane_bytes;
                shared += column.row_bytes;
            }
        }
    }
}

void Exchange::bring(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) const {
    move(room, slots, first, count, true);
}

void Exchange::fetch(std::byte* room, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) const {
    move(room, slots, first, count, false);
}

}  // namespace tenon
