// SPDX-License-Identifier: Apache-2.0
// A storage whose columns are the files of a folder.
#include <algorithm>
#include <string>
#include <utility>

#include "base/error/counted.hpp"
#include "experience/replay/disk_folder.hpp"
#include "experience/replay/disk_ring.hpp"
#include "experience/replay/packed_rows.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {
namespace {

// Whether the folder's buffer has steps; a buffer without them may be replaced.
Result<bool> has_steps(const std::filesystem::path& folder) {
    if (!holds_buffer(folder)) {
        return false;
    }
    const Result<std::unique_ptr<DiskRing>> ring = DiskRing::open(folder, DiskRing::Access::kWrite);
    return ring ? Result<bool>((*ring)->newest_mark().has_value()) : Result<bool>(ring.error());
}

}  // namespace

Result<Storage> Storage::create_on_disk(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                                        const Disk& disk) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    const bool used = TENON_TRY(disk.replace ? Result<bool>(false) : has_steps(disk.folder));
    if (used) {
        return input_problem(disk.folder.string() + " already holds the frames of another run");
    }
    std::unique_ptr<DiskRing> ring = TENON_TRY(DiskRing::create(
        {.slots = slots, .lanes = lanes, .spare = disk.spare, .columns = std::move(complete), .specs = disk.specs},
        disk.folder));
    ring->expect_random_reads();
    Storage out;
    out.adopt(std::move(ring));
    return out;
}

Result<Storage> Storage::open_on_disk(const std::filesystem::path& folder, bool to_write) {
    std::unique_ptr<DiskRing> ring =
        TENON_TRY(DiskRing::open(folder, to_write ? DiskRing::Access::kWrite : DiskRing::Access::kRead));
    const std::vector<std::uint64_t> first = TENON_TRY(ring->read_lanes());
    Storage out;
    out.adopt(std::move(ring));
    const std::optional<DiskRing::Whole> whole = out.disk_->whole_steps();
    out.disk_->expect_random_reads();
    if (!whole) {
        return out;
    }
    Position position{.head = static_cast<std::uint32_t>(whole->last % out.slots_),
                      .count = std::vector<std::uint32_t>(out.lanes_, 0),
                      .parked = std::vector<std::uint8_t>(out.lanes_, 0),
                      .appended = whole->last};
    for (std::uint32_t lane = 0; lane < out.lanes_; ++lane) {
        position.parked[lane] = first[lane] == DiskRing::kNever ? 1 : 0;
        const std::uint64_t from = std::max(whole->first, first[lane]);
        position.count[lane] = from < whole->last ? static_cast<std::uint32_t>(whole->last - from) : 0;
    }
    out.place(position);
    out.sealed_ = whole->last;
    if (to_write) {
        out.disk_->forget_from(whole->last);
        out.keep_next();
    }
    return out;
}

Result<Storage> Storage::reopen_on_disk(const std::filesystem::path& folder) {
    std::unique_ptr<DiskRing> ring = TENON_TRY(DiskRing::open(folder, DiskRing::Access::kWrite));
    const std::optional<std::uint64_t> newest = ring->newest_mark();
    Storage out;
    out.adopt(std::move(ring));
    const std::uint64_t head = newest ? *newest + 1 : 0;  // its writer had already begun to write this step
    out.place({.head = static_cast<std::uint32_t>(head % out.slots_),
               .count = std::vector<std::uint32_t>(out.lanes_, 0),
               .parked = std::vector<std::uint8_t>(out.lanes_, 0),
               .appended = head});
    out.sealed_ = head;
    return out;
}

void Storage::adopt(std::unique_ptr<DiskRing> disk) {
    disk_ = std::move(disk);
    columns_ = disk_->layout().columns;
    slots_ = disk_->layout().slots;
    lanes_ = disk_->layout().lanes;
    first_.assign(lanes_, 0);
    count_.assign(lanes_, 0);
    parked_.assign(lanes_, 0);
    point();
}

void Storage::seal() {
    if (packed_ != nullptr) {
        packed_->pack(*this);
        return;
    }
    const std::uint64_t oldest = view_.appended < slots_ ? 0 : view_.appended + 1 - slots_;
    for (std::uint64_t step = std::max(sealed_, oldest); step < view_.appended; ++step) {
        disk_->seal(step);
    }
    sealed_ = view_.appended;
}

Status Storage::sync() const {
    return disk_ == nullptr ? Status() : disk_->sync();
}

// The slot after the head is written next, before the head moves to it.
void Storage::keep_next() {
    if (view_.appended + 1 < slots_) {
        return;
    }
    const std::uint64_t step = view_.appended + 1 - slots_;
    if (disk_->mark_of(step) == 0 && step < view_.appended) {  // nobody has called mark for as long as the ring lasts
        disk_->seal(step);
    }
    if (step < needed_) {
        disk_->keep(step);
    }
    disk_->begin(view_.appended + 1);
}

void Storage::write_lanes() {
    std::vector<std::uint64_t> first(lanes_);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        first[lane] = parked_[lane] != 0 ? DiskRing::kNever : view_.appended - count_[lane];
    }
    disk_->write_lanes(first);
}

Storage::Past Storage::past() {
    needed_ = view_.appended;
    keep_next();
    Past out{.position = position(), .checksum = 0};
    const std::uint64_t held = std::uint64_t{live_slots()} - 1;
    for (std::uint64_t step = view_.appended - held; step + 1 < view_.appended; ++step) {
        out.checksum += disk_->mark_of(step);
    }
    return out;
}

// The system writes pages in any order, so that a power cut may lose that a step was begun, or the copy of the one that
// it overwrote; but only once the run has gone on, and not behind its next checkpoint, before which `spare` steps come.
std::uint64_t Storage::may_be_written(std::uint64_t checkpoint) const {
    const std::uint64_t begun = disk_->begun();
    return begun > checkpoint + 1 ? std::max(begun, checkpoint + disk_->layout().spare) : begun;
}

Result<std::uint64_t> Storage::go_back(const Past& past) {
    Position position = past.position;
    const std::uint64_t held = position.count.empty() ? 0 : *std::ranges::max_element(position.count);
    if (position.count.size() != lanes_ || position.parked.size() != lanes_ || position.appended < held ||
        held >= slots_ || position.appended % slots_ != position.head) {
        return input_problem("the checkpoint's position does not fit the buffer in " + disk_->folder().string());
    }
    std::vector<DiskRing::Found> found;  // the newest first
    std::vector<std::uint64_t> damaged;
    std::uint64_t sum = 0;
    const std::uint64_t rewritten = may_be_written(position.appended);
    for (std::uint64_t back = 2; back <= held; ++back) {
        const std::uint64_t step = position.appended - back;
        if (const std::optional<DiskRing::Found> at_step = disk_->find(step)) {
            found.push_back(*at_step);
            sum += at_step->checksum;
        } else if (step + slots_ <= rewritten) {
            break;  // overwritten, and so are all older ones
        } else {
            damaged.push_back(step);
        }
    }
    if (!damaged.empty()) {
        return damage(damaged);
    }
    const std::uint64_t gone = held == 0 ? 0 : held - 1 - found.size();
    if (gone == 0 && sum != past.checksum) {
        return input_problem("the buffer in " + disk_->folder().string() +
                             " holds other frames than when the checkpoint was written");
    }
    for (std::uint64_t back = 2; back < 2 + found.size(); ++back) {
        disk_->put_back(position.appended - back, found[back - 2]);
    }
    for (std::uint32_t& count : position.count) {
        count = std::min(count, static_cast<std::uint32_t>(held - gone));
    }
    // Policies may read slots that the ring has yet to write, so these must have their old contents: nothing, before
    // the ring has wrapped around.
    const std::uint64_t written = disk_->newest_mark().value_or(0) + disk_->layout().spare + 3;
    for (std::uint64_t step = position.appended + 1; step < std::min<std::uint64_t>(slots_, written); ++step) {
        disk_->wipe(step);
    }
    sealed_ = position.appended == 0 ? 0 : position.appended - 1;
    disk_->forget_from(sealed_);
    needed_ = position.appended;
    if (!stand_at(position)) {
        return input_problem("the checkpoint's position does not fit the buffer in " + disk_->folder().string());
    }
    disk_->expect_random_reads();
    return gone;
}

Problem Storage::damage(std::span<const std::uint64_t> steps) const {
    const std::uint64_t oldest = steps.back();
    const StorageColumn* const column = disk_->damaged_column(oldest);
    std::string sentence = "the buffer in " + disk_->folder().string() + " is damaged: step " + std::to_string(oldest) +
                           " in slot " + std::to_string(oldest % slots_);
    sentence += column == nullptr ? "" : " of columns/" + column->key;
    sentence += steps.size() == 1
                    ? " is not as the run wrote it"
                    : " and " + counted(steps.size() - 1, "later step") + " are not as the run wrote them";
    return environment_problem(std::move(sentence), {},
                               "put the folder back from a copy, or begin a new run with the run's weights: --from");
}

}  // namespace tenon
