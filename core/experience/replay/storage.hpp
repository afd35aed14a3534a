// SPDX-License-Identifier: Apache-2.0
// The storage of a run's experience: one ring buffer per lane, with every column a slab [slot][lane][row]. The env
// writes directly to it, policies read and write it, samplers choose its rows, and nothing is copied on the way in.
//
// The head is the slot of the newest observation. The transition that starts at a slot is complete when the head has
// advanced: action, reward and flags are at the slot. The next observation is at the following slot or, where the
// episode ended, in the column's final values. So next.<observation> takes memory only where it differs from the
// observation one slot later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "experience/replay/storage_columns.hpp"
#include "tenon/abi/sampler.h"

namespace tenon {

class DiskRing;
class PackedRows;

class Storage {
public:
    Storage(Storage&&) noexcept;
    Storage& operator=(Storage&&) noexcept;
    ~Storage();

    // Of the columns, key, role, dtype and row are read. The storage adds its own columns "terminated", "truncated" and
    // "is_init" (true at the first slot of an episode), which must not be among them. At least 2 slots and 1 lane.
    // compress: the older rows of large columns are compressed (packed_rows.hpp), and only GatherPlan reads these.
    static Result<Storage> make(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                                bool compress = false);

    // The same in memory that others share, of bytes_in zeros, which must outlive the storage.
    static Result<Storage> make_in(std::byte* memory, std::vector<StorageColumn> columns, std::uint32_t slots,
                                   std::uint32_t lanes);
    static Result<std::size_t> bytes_in(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes);

    // The same with columns in files of a folder (disk_ring.hpp). The latest `spare` steps that are overwritten are
    // kept as well; see go_back. specs: the permitted values of columns, in words. replace: a buffer that the folder
    // holds may have steps, which are lost.
    struct Disk {
        std::filesystem::path folder;
        std::uint32_t spare = 0;
        std::map<std::string, std::string> specs = {};
        bool replace = false;
    };
    static Result<Storage> create_on_disk(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                                          const Disk& disk);
    // The steps of that folder that were complete when its writer last called mark, verified by their checksums. The
    // newest one is the head. Without to_write the files stay as they are, and other processes may read them, too.
    static Result<Storage> open_on_disk(const std::filesystem::path& folder, bool to_write);
    // Opens the folder to go back to a checkpoint. Until then the storage is empty, and its head is in a slot whose
    // content is lost anyway.
    static Result<Storage> reopen_on_disk(const std::filesystem::path& folder);

    // The number of slots for this many frames: the newest observation needs an additional one.
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

    // Completes the transition that starts at the head and advances the head, over the oldest transition if the ring
    // buffer is full.
    void advance();

    // The ends of the transition that starts at a slot, which were not known when the head advanced.
    void note_ends(std::uint32_t slot, std::span<const std::uint8_t> terminated,
                   std::span<const std::uint8_t> truncated);

    // For lanes whose steps are uneven (lane_rings.hpp): completes the transition that starts at the lane's own head.
    // The lanes then have heads of their own until align.
    void advance_lane(std::uint32_t lane);
    [[nodiscard]] std::uint32_t lane_head(std::uint32_t lane) const {
        const std::uint32_t at = first_[lane] + count_[lane];
        return !uneven_ ? head_ : at >= slots_ ? at - slots_ : at;
    }
    // Moves the rows of lanes so that all heads are in one slot again. Takes as long as copying all rows.
    void align();

    // Begins new episodes at the head, in the lanes whose byte in mask is 1 (null: all). Call it before their first
    // observation is written. A running episode ends as truncated.
    void begin_episodes(const std::uint8_t* mask);

    // Parks a lane for good: it holds no transitions and gets no more.
    void park(std::uint32_t lane);
    [[nodiscard]] std::span<const std::uint8_t> parked() const { return parked_; }  // [lanes]

    // Moves the head's rows to slot 0 and discards all transitions. An on-policy run does this between its batches, so
    // that a batch never wraps around.
    void rewind();

    // The view for samplers. It points into the storage and is valid until the next change.
    [[nodiscard]] const tn_buffer_view& view() const { return before_ ? shown_ : view_; }
    // The number of slots from the oldest transition of any lane to the head.
    [[nodiscard]] std::uint32_t live_slots() const;
    // The slot that was the head this many steps ago.
    [[nodiscard]] std::uint32_t slot_back(std::uint32_t steps) const;
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
    void show_all() { before_ = false; }

    // From now on, the rows are no ring: a keeper (keeper.hpp) puts transitions of one lane into any slots, and show
    // says how many there are. Samplers see them as slots 0, 1, ... of lane 0, with these flags of their ends.
    struct Arrangement {
        const std::uint32_t* order = nullptr;      // [shown slot] where it is; null: there
        const std::uint8_t* terminated = nullptr;  // [shown slot]; null: as stored
        const std::uint8_t* truncated = nullptr;
        bool alone = false;  // every transition has final values, for the one behind it is of other steps
    };
    void arrange(const Arrangement& arrangement);
    void show(std::uint32_t rows, std::uint64_t changes);
    [[nodiscard]] const Arrangement* arrangement() const { return arrangement_ ? &*arrangement_ : nullptr; }

    // Starts with the transitions of another storage that has the same number of lanes and at most as many live slots
    // as this one has slots. Columns that it lacks are unchanged. The last episode of each lane continues, unless a new
    // one begins at the head.
    void take(const Storage& other);

    // The position of the ring buffers, without their content.
    struct Position {
        std::uint32_t head = 0;
        std::vector<std::uint32_t> count;  // transitions of each lane, the newest just before the head
        std::vector<std::uint8_t> parked;  // [lanes]
        std::uint64_t appended = 0;
    };
    [[nodiscard]] Position position() const { return {head_, count_, parked_, view_.appended}; }
    // Sets the position; the caller restores the rows. Returns false, with nothing changed, if the position is
    // impossible.
    bool stand_at(const Position& position);
    // Discards all transitions and resets the positions.
    void clear();

    // Call it when nobody will write the steps before the head again. On a disk, they can be found after a crash from
    // now on; large columns that are to be compressed are; otherwise it does nothing.
    void mark() {
        if (disk_ != nullptr || packed_ != nullptr) {
            seal();
        }
    }
    // This step and all later ones will be marked again, because columns of theirs are about to be written.
    void unmark(std::uint64_t step) { sealed_ = std::min(sealed_, step); }
    // Waits until everything that has been marked is on the disk.
    [[nodiscard]] Status sync() const;
    // Null if nothing is compressed.
    [[nodiscard]] PackedRows* packed() const { return packed_.get(); }
    // Whether rows of the column may be compressed.
    [[nodiscard]] bool packs(const StorageColumn& column) const;
    // Null for a storage in memory.
    [[nodiscard]] const DiskRing* disk() const { return disk_.get(); }

    // A position of the past, and the sum of the checksums of the steps before its newest transition.
    struct Past {
        Position position;
        std::uint64_t checksum = 0;
    };
    // For a checkpoint: from now on the steps that it means are kept when they are overwritten. Call mark before.
    [[nodiscard]] Past past();
    // Returns to it, as far as its steps have not been overwritten, and says how many are gone: the oldest ones. The
    // caller restores the rows of the head and of the slot before it, and then calls mark. A problem, with nothing
    // changed, if the steps are other ones, or if some are damaged that cannot have been overwritten. Only on a disk.
    Result<std::uint64_t> go_back(const Past& past);

private:
    Storage();
    template <class Allocate>
    Status lay_out(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes, Allocate allocate);
    void advance_lanes(std::uint32_t next);
    void turn_lane(std::uint32_t lane, std::uint32_t by);
    void point();
    bool place(const Position& position);
    void adopt(std::unique_ptr<DiskRing> disk);
    void seal();
    void keep_next();
    void write_lanes();
    [[nodiscard]] std::uint64_t may_be_written(std::uint64_t checkpoint) const;
    [[nodiscard]] Problem damage(std::span<const std::uint64_t> steps) const;

    std::vector<StorageColumn> columns_;
    std::vector<Slab> slabs_;
    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t head_ = 0;
    bool uneven_ = false;  // each lane has its own head, behind its newest transition
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> count_;
    std::vector<std::uint8_t> parked_;
    tn_buffer_view view_{};
    bool before_ = false;  // shown_ is what view and holds show
    tn_buffer_view shown_{};
    std::vector<std::uint32_t> shown_first_;
    std::vector<std::uint32_t> shown_count_;
    std::uint8_t* terminated_ = nullptr;
    std::uint8_t* truncated_ = nullptr;
    std::uint8_t* is_init_ = nullptr;
    std::optional<Arrangement> arrangement_;
    std::unique_ptr<PackedRows> packed_;
    std::unique_ptr<DiskRing> disk_;
    std::uint64_t sealed_ = 0;  // steps before it are marked
    std::uint64_t needed_ = 0;  // steps before it are kept when they are overwritten: the checkpoint needs them
};

}  // namespace tenon
