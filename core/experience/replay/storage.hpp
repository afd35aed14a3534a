// SPDX-License-Identifier: Apache-2.0
// The storage of a run's experience: one ring buffer per lane, with every column a slab [slot][lane][row]. The env
// writes directly to it, policies read and write it, samplers choose its rows, and nothing is copied on the way in.
//
// The head is the slot of the newest observation. The transition that starts at a slot is complete when the head has
// advanced: action, reward and flags are at the slot. The next observation is at the following slot or, where the
// episode ended, in the column's final values. So next.<observation> takes memory only where it differs from the
// observation one slot later.
//
// It is made of columns (storage_columns.hpp), positions (ring.hpp) and what is behind the columns (backing.hpp): plain
// memory, or one of the kinds in core/engines. Its own functions are those that change several of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "experience/replay/backing.hpp"
#include "experience/replay/ring.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {

// Rows that are no ring: a keeper (keeper.hpp) puts transitions of one lane into any slots. Samplers see them as slots
// 0, 1, ... of lane 0, with these flags of their ends.
struct Arrangement {
    const std::uint32_t* order = nullptr;      // [shown slot] where it is; null: there
    const std::uint8_t* terminated = nullptr;  // [shown slot]; null: as stored
    const std::uint8_t* truncated = nullptr;
    bool alone = false;  // every transition has final values, for the one behind it is of other steps
};

class Storage {
public:
    // A storage of complete columns. `backing` has their memory, or the memory outlives the storage.
    Storage(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
            std::unique_ptr<Backing> backing = std::make_unique<Backing>());

    // Reads key, role, dtype and row of the columns. The storage adds its own columns "terminated", "truncated" and
    // "is_init" (true at the first slot of an episode), which must not be among them. At least 2 slots and 1 lane.
    // `backing` decides which columns will not stay in memory; these may be larger than it.
    static Result<Storage> make(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                                std::unique_ptr<Backing> backing = std::make_unique<Backing>());
    // The same in memory that others share, of bytes_in zeros, which must outlive the storage.
    static Result<Storage> make_in(std::byte* memory, std::vector<StorageColumn> columns, std::uint32_t slots,
                                   std::uint32_t lanes);
    static Result<std::size_t> bytes_in(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes);
    // The number of slots for this many frames: the newest observation needs an additional one.
    static std::uint32_t slots_for(std::uint64_t capacity_frames, std::uint32_t lanes);

    [[nodiscard]] std::span<const StorageColumn> columns() const { return columns_; }
    [[nodiscard]] const StorageColumn* find(std::string_view key) const;
    [[nodiscard]] const StepFlags& flags() const { return flags_; }

    [[nodiscard]] const Ring& ring() const { return ring_; }
    [[nodiscard]] Ring& ring() { return ring_; }
    [[nodiscard]] std::uint32_t slots() const { return ring_.slots(); }  // this and those below: of the ring, for short
    [[nodiscard]] std::uint32_t lanes() const { return ring_.lanes(); }
    [[nodiscard]] std::uint32_t head() const { return ring_.head(); }
    [[nodiscard]] std::uint32_t slot_after(std::uint32_t slot) const { return ring_.slot_after(slot); }
    [[nodiscard]] std::uint32_t slot_before(std::uint32_t slot) const { return ring_.slot_before(slot); }
    [[nodiscard]] std::uint32_t slot_back(std::uint32_t steps) const { return ring_.slot_back(steps); }
    [[nodiscard]] std::span<const std::uint8_t> parked() const { return ring_.parked(); }
    [[nodiscard]] const tn_buffer_view& view() const { return ring_.view(); }

    // Completes the transition that starts at the head and advances the head.
    void advance();
    // Begins new episodes at the head, in the lanes whose byte in mask is 1 (null: all). Call it before their first
    // observation is written. A running episode ends as truncated.
    void begin_episodes(const std::uint8_t* mask);
    void park(std::uint32_t lane);
    // Moves the head's rows to slot 0 and discards all transitions. An on-policy run does this between its batches, so
    // that a batch never wraps around.
    void rewind();
    // The rows that histories have before slot 0, one column after the other.
    [[nodiscard]] std::span<const Slab> earlier_rows() const { return earlier_; }
    // Sets the position; the caller restores the rows. Returns false, with nothing changed, if the position is
    // impossible.
    bool stand_at(const Ring::Position& position);
    // Discards all transitions and resets the positions.
    void clear();

    // From now on, the rows are no ring. Ring::show_arranged says how many there are.
    void arrange(const Arrangement& arrangement);
    [[nodiscard]] const Arrangement* arrangement() const { return arrangement_ ? &*arrangement_ : nullptr; }

    // Call it when nobody will write the steps before the head again: from now on they can be found after a crash, or
    // be compressed, if the storage does such a thing.
    void mark() { backing_->mark(*this); }
    [[nodiscard]] Backing& backing() const { return *backing_; }

private:
    std::vector<StorageColumn> columns_;
    StepFlags flags_;
    Ring ring_;
    Status keep_earlier();

    std::vector<Slab> slabs_;
    std::vector<Slab> earlier_;
    std::optional<Arrangement> arrangement_;
    std::unique_ptr<Backing> backing_;
};

}  // namespace tenon
