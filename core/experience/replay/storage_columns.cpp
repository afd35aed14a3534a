// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/storage_columns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/data/key.hpp"

namespace tenon {
namespace {

constexpr std::array<std::string_view, 3> kFlags = {"terminated", "truncated", "is_init"};
constexpr std::array<std::string_view, 2> kReserved = {"done", "next"};

Status check_columns(const std::vector<StorageColumn>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& key = columns[i].key;
        if (const std::string fault = key_fault(key); !fault.empty()) {
            return input_problem("'" + key + "' cannot be stored: its key " + fault);
        }
        const auto clashes = [&](std::string_view other) { return within(key, other); };
        if (std::any_of(kFlags.begin(), kFlags.end(), clashes) ||
            std::any_of(kReserved.begin(), kReserved.end(), clashes)) {
            return input_problem("'" + key + "' cannot be stored: this key is reserved for the host");
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (within(key, columns[j].key) || within(columns[j].key, key)) {
                return input_problem(
                    "'" + key + "' and '" + columns[j].key + "' cannot both be stored: " +
                    (key == columns[j].key ? "they have the same key" : "one key continues the other"));
            }
        }
        if (columns[i].row.rank > kMaxSpecRank || columns[i].row.elements() < 1) {
            return input_problem("'" + key + "' cannot be stored: its rows have the shape " +
                                 to_string(columns[i].row) + ", which is impossible");
        }
    }
    return {};
}

}  // namespace

std::span<const std::string_view> flag_columns() {
    return kFlags;
}

bool is_flag_column(std::string_view key) {
    return std::ranges::find(kFlags, key) != kFlags.end();
}

Result<std::vector<StorageColumn>> complete_columns(std::vector<StorageColumn> columns, std::uint32_t slots,
                                                    std::uint32_t lanes) {
    if (slots < 2 || lanes < 1) {
        return input_problem("a storage needs at least 2 slots and 1 lane, not " + std::to_string(slots) + " and " +
                             std::to_string(lanes));
    }
    TENON_TRY(check_columns(columns));
    for (const std::string_view key : kFlags) {
        columns.push_back(
            {.key = std::string(key), .role = Role::kExtra, .dtype = DType::kBool, .row = {}, .view = {}, .final = {}});
    }
    return columns;
}

StorageColumn state_column(const Spec& spec, std::uint32_t earlier, bool sampled) {
    const auto sizes = spec.shape.extents();
    return {.key = spec.key,
            .role = Role::kState,
            .dtype = spec.dtype,
            .row = earlier == 0 ? spec.shape : Shape(sizes.subspan(1)),
            .view = {},
            .final = {},
            .earlier = earlier,
            .sampled = sampled};
}

std::uint32_t sampled_back(std::span<const StorageColumn> columns) {
    std::uint32_t out = 0;
    for (const StorageColumn& column : columns) {
        out = column.sampled ? std::max(out, column.earlier) : out;
    }
    return out;
}

std::vector<StorageColumn> storage_columns(const Composite& specs) {
    std::vector<StorageColumn> out;
    for (const Spec& spec : specs.specs) {
        out.push_back(
            {.key = spec.key, .role = spec.role, .dtype = spec.dtype, .row = spec.shape, .view = {}, .final = {}});
    }
    return out;
}

std::uint64_t slot_bytes(std::span<const StorageColumn> columns, std::uint32_t lanes) {
    std::uint64_t bytes = kFlags.size();
    for (const StorageColumn& column : columns) {
        const std::uint64_t copies = column.role == Role::kObservation ? 2 : 1;
        bytes += is_flag_column(column.key) ? 0 : copies * row_bytes(column);
    }
    return bytes * lanes;
}

void* row_at(const View& view, std::uint32_t slot, std::uint32_t lane) {
    const std::int64_t element = slot * view.strides[0] + lane * view.strides[1];
    return static_cast<std::byte*>(view.data) + element * static_cast<std::int64_t>(size_of(view.dtype));
}

std::size_t row_bytes(const StorageColumn& column) {
    return static_cast<std::size_t>(column.row.elements()) * size_of(column.dtype);
}

}  // namespace tenon
