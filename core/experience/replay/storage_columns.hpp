// SPDX-License-Identifier: Apache-2.0
// The columns of a storage, made from the specs of an env or of columns that policies and objectives write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/flags.hpp"
#include "base/data/spec.hpp"
#include "base/data/view.hpp"
#include "base/error/result.hpp"

namespace tenon {

// A column to be stored. Its role decides how readers name it: rewards and flags, which step writes about the
// transition, are under "next.", everything else at the root. Observations have final values.
struct StorageColumn {
    std::string key;
    Role role = Role::kExtra;
    DType dtype = DType::kF32;
    Shape row;
    View view;   // [slots][lanes][row]
    View final;  // of observations: the final ones, each at its episode's last transition
    // Of a history: how many of the rows before slot 0 are kept when the storage is rewound, and these rows,
    // [lanes][earlier][row]. Readers get those before the first step of their sequences.
    std::uint32_t earlier = 0;
    std::byte* before = nullptr;
    // Sequences are sampled. The storage is never rewound and keeps no block: readers get the rows from its slots.
    bool sampled = false;
};

// The storage's own columns, [slots][lanes]: how steps have ended, and which slots are the first of an episode.
struct StepFlags {
    std::uint8_t* terminated = nullptr;
    std::uint8_t* truncated = nullptr;
    std::uint8_t* is_init = nullptr;
    std::uint32_t lanes = 0;

    [[nodiscard]] bool ended(std::uint32_t slot, std::uint32_t lane) const {
        const std::size_t at = std::size_t{slot} * lanes + lane;
        return (terminated[at] | truncated[at]) != 0;
    }
    // Episodes begin at `next` in the lanes whose step at `slot` has ended.
    void begin_after(std::uint32_t slot, std::uint32_t next) const {
        const std::size_t from = std::size_t{slot} * lanes;
        either_set(terminated + from, truncated + from, is_init + std::size_t{next} * lanes, lanes);
    }
};

// Their keys: "terminated", "truncated" and "is_init".
std::span<const std::string_view> flag_columns();
bool is_flag_column(std::string_view key);

// The columns with the storage's own, if they can be stored.
Result<std::vector<StorageColumn>> complete_columns(std::vector<StorageColumn> columns, std::uint32_t slots,
                                                    std::uint32_t lanes);

// The column for a spec that policies and objectives write. With `earlier`, the spec is that of so many rows.
StorageColumn state_column(const Spec& spec, std::uint32_t earlier = 0, bool sampled = false);

// The storage columns for an env's columns.
std::vector<StorageColumn> storage_columns(const Composite& specs);

// How many steps before their first one sampled sequences read.
std::uint32_t sampled_back(std::span<const StorageColumn> columns);

// The bytes of one slot of all lanes, with final values and the storage's own columns, which may be among `columns`.
std::uint64_t slot_bytes(std::span<const StorageColumn> columns, std::uint32_t lanes);

// The row of a column at a slot and lane, and its size in bytes.
void* row_at(const View& view, std::uint32_t slot, std::uint32_t lane);
std::size_t row_bytes(const StorageColumn& column);

}  // namespace tenon
