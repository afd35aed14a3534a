// SPDX-License-Identifier: Apache-2.0
// Where a run's experience lies: one ring per lane, every column a slab [slot][lane][row]. The env writes straight into
// it, policies read and write it, samplers choose rows of it, and nothing is copied on the way in.
//
// The head is the slot of the newest observation. The transition that starts at a slot is complete once the head has
// moved on: action, reward and flags stand at the slot, the next observation stands at the slot after, or, where the
// episode ended, in the column's final values. So next.<observation> takes memory only where it differs from the
// observation one slot later.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/slab.hpp"
#include "data/spec.hpp"
#include "data/view.hpp"
#include "error/result.hpp"
#include "tenon/abi/sampler.h"

namespace tenon {

// A column to be stored. Roles decide how readers name it: what step wrote about the transition (rewards and flags)
// stands under "next." for them, everything else at the root. Final values are kept of observations.
struct StorageColumn {
    std::string key;
    Role role = Role::kExtra;
    DType dtype = DType::kF32;
    Shape row;
    View view;   // [slots][lanes][row]
    View final;  // the same shape, observations only: what the episode ended with, at the slot of its last transition
};

class Storage {
public:
    // Of the columns, key, role, dtype and row are read. "terminated", "truncated" and "is_init" (true at the first
    // slot of an episode) are added; they belong to the storage and may not be among them. At least 2 slots and 1 lane.
    static Result<Storage> make(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes);

    // The slots that hold so many frames: the newest observation needs one of its own.
    static std::uint32_t slots_for(std::uint64_t capacity_frames, std::uint32_t lanes);

    [[nodiscard]] std::span<const StorageColumn> columns() const { return columns_; }
    [[nodiscard]] const StorageColumn* find(std::string_view key) const;
    [[nodiscard]] std::uint32_t slots() const { return slots_; }
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] std::uint32_t head() const { return head_; }
    [[nodiscard]] std::uint32_t slot_after(std::uint32_t slot) const { return slot + 1 == slots_ ? 0 : slot + 1; }
    [[nodiscard]] std::uint32_t slot_before(std::uint32_t slot) const { return slot == 0 ? slots_ - 1 : slot - 1; }
    [[nodiscard]] const std::uint8_t* terminated() const { return terminated_; }  // [slots][lanes]
    [[nodiscard]] const std::uint8_t* truncated() const { return truncated_; }

    // The transition that starts at the head is complete and the head moves on, over the oldest one if the ring is
    // full.
    void advance();

    // New episodes begin at the head, in the lanes whose byte in mask is 1 (null: all); to be called before their first
    // observation is written. An episode that was running there ends as truncated.
    void begin_episodes(const std::uint8_t* mask);

    // Whether the key is one of the storage's own columns.
    static bool owns(std::string_view key);

    // Takes a lane out for good: it holds no transitions and gets no more.
    void park(std::uint32_t lane);
    [[nodiscard]] std::span<const std::uint8_t> parked() const { return parked_; }  // [lanes]

    // Moves the head's rows to slot 0 and forgets all transitions: what an on-policy run does between its batches, so
    // that a batch never wraps.
    void rewind();

    // What samplers see; points into the storage, up to date until the next change.
    [[nodiscard]] const tn_buffer_view& view() const { return view_; }
    // From the oldest transition of any lane to the head.
    [[nodiscard]] std::uint32_t live_slots() const;
    // The slot that was the head so many steps ago.
    [[nodiscard]] std::uint32_t slot_back(std::uint32_t steps) const;
    // Asked for each row of a batch.
    [[nodiscard]] bool holds(std::uint32_t slot, std::uint32_t lane) const {
        if (slot >= slots_ || lane >= lanes_) {
            return false;
        }
        const std::uint32_t first = first_[lane];
        const std::uint32_t age = slot >= first ? slot - first : slot + slots_ - first;
        return age < count_[lane];
    }

    // Begins with the transitions of another storage that has as many lanes and no more live slots than this one has;
    // columns that it lacks stay as they are. The last episode of each lane goes on, if nothing begins another one at
    // the head.
    void take(const Storage& other);

    // Where the rings stand, apart from what is in them.
    struct Position {
        std::uint32_t head = 0;
        std::vector<std::uint32_t> count;  // transitions of each lane, the newest just before the head
        std::vector<std::uint8_t> parked;  // [lanes]
        std::uint64_t appended = 0;
    };
    [[nodiscard]] Position position() const { return {head_, count_, parked_, view_.appended}; }
    // Puts them there; the rows are the caller's affair. False, and nothing has changed, where they cannot stand so.
    bool stand_at(const Position& position);
    // Forgets everything.
    void clear();

private:
    Storage() = default;
    void advance_lanes(std::uint32_t next);
    void point();

    std::vector<StorageColumn> columns_;
    std::vector<Slab> slabs_;
    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t head_ = 0;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> count_;
    std::vector<std::uint8_t> parked_;
    tn_buffer_view view_{};
    std::uint8_t* terminated_ = nullptr;
    std::uint8_t* truncated_ = nullptr;
    std::uint8_t* is_init_ = nullptr;
};

// A column of what policies and objectives write.
StorageColumn state_column(const Spec& spec);

// What an env's columns become in a storage.
std::vector<StorageColumn> storage_columns(const Composite& specs);

// A row of a column at a slot and lane, and its size in bytes.
void* row_at(const View& view, std::uint32_t slot, std::uint32_t lane);
std::size_t row_bytes(const StorageColumn& column);

}  // namespace tenon
