// SPDX-License-Identifier: Apache-2.0
// The positions of a storage's ring buffers, one per lane, without their rows: which slots hold transitions, and which
// is written next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/abi/sampler.h"

namespace tenon {

class Ring {
public:
    Ring(std::uint32_t slots, std::uint32_t lanes);

    [[nodiscard]] std::uint32_t slots() const { return slots_; }
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] std::uint32_t head() const { return head_; }
    [[nodiscard]] std::uint32_t slot_after(std::uint32_t slot) const { return slot + 1 == slots_ ? 0 : slot + 1; }
    [[nodiscard]] std::uint32_t slot_before(std::uint32_t slot) const { return slot == 0 ? slots_ - 1 : slot - 1; }
    // The slot that was the head this many steps ago.
    [[nodiscard]] std::uint32_t slot_back(std::uint32_t steps) const {
        return head_ >= steps ? head_ - steps : head_ + (slots_ - steps);
    }
    // The number of slots from the oldest transition of any lane to the head.
    [[nodiscard]] std::uint32_t live_slots() const;
    [[nodiscard]] std::uint32_t count(std::uint32_t lane) const { return count_[lane]; }  // of transitions
    [[nodiscard]] std::span<const std::uint8_t> parked() const { return parked_; }        // [lanes]

    // Advances the head, over the oldest transition if the rings are full.
    void advance();
    // Parks a lane for good: it holds no transitions and gets no more.
    void park(std::uint32_t lane);
    // Discards all transitions; the head is slot 0.
    void rewind();

    // For lanes whose steps are uneven (lane_rings.hpp): advances the lane's own head. The lanes then have heads of
    // their own until stand_at or rewind.
    void advance_lane(std::uint32_t lane);
    [[nodiscard]] bool is_uneven() const { return uneven_; }
    [[nodiscard]] std::uint32_t lane_head(std::uint32_t lane) const {
        const std::uint32_t at = first_[lane] + count_[lane];
        return !uneven_ ? head_ : at >= slots_ ? at - slots_ : at;
    }

    struct Position {
        std::uint32_t head = 0;
        std::vector<std::uint32_t> count;  // transitions of each lane, the newest just before the head
        std::vector<std::uint8_t> parked;  // [lanes]
        std::uint64_t appended = 0;
    };
    [[nodiscard]] Position position() const { return {head_, count_, parked_, view_.appended}; }
    // Returns false, with nothing changed, if the position is impossible.
    bool stand_at(const Position& position);

    // The view for samplers. It points into the storage and is valid until the next change.
    [[nodiscard]] const tn_buffer_view& view() const { return before_ ? shown_ : view_; }
    // Called for each row of a batch.
    [[nodiscard]] bool holds(std::uint32_t slot, std::uint32_t lane) const {
        if (slot >= slots_ || lane >= lanes_) {
            return false;
        }
        const tn_buffer_view& shown = view();
        const std::uint32_t first = shown.first[lane];
        const std::uint32_t age = slot >= first ? slot - first : slot + slots_ - first;
        return age < shown.count[lane];
    }

    // From now on, view and holds show the transitions before the latest `done` steps, without the oldest ones, which
    // these and `coming` more steps overwrite. So samplers may read while another thread makes those steps. The same
    // transitions are shown however many of the steps have been made.
    void show_before(std::uint32_t done, std::uint32_t coming);
    void show_all();

    // From now on, once the rings are full, view and holds do not show the oldest `steps` transitions. So the ring
    // holds that many transitions before each one that it shows, or all of them if none has been lost.
    void hold_back(std::uint32_t steps);

    // The flags of the view: [shown slot][lanes].
    void show_flags(const std::uint8_t* terminated, const std::uint8_t* truncated);
    // For a storage whose rows are arranged: shows so many rows, as those of lane 0; `changes` counts how often they
    // have changed.
    void show_arranged(std::uint32_t rows, std::uint64_t changes);

private:
    void advance_lanes(std::uint32_t next);
    void show(std::uint32_t done, std::uint32_t coming);
    void show_latest();

    std::uint32_t slots_;
    std::uint32_t lanes_;
    std::uint32_t head_ = 0;
    bool uneven_ = false;  // each lane has its own head, behind its newest transition
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> count_;
    std::vector<std::uint8_t> parked_;
    tn_buffer_view view_;
    bool before_ = false;  // shown_ is what view and holds show
    bool fixed_ = false;   // it stays while steps are made
    std::uint32_t held_back_ = 0;
    tn_buffer_view shown_{};
    std::vector<std::uint32_t> shown_first_;
    std::vector<std::uint32_t> shown_count_;
};

}  // namespace tenon
