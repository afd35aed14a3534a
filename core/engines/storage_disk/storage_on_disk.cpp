// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/storage_on_disk.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/error/listed.hpp"
#include "engines/storage_disk/disk_folder.hpp"
#include "engines/storage_disk/ring_file.hpp"

namespace tenon {
namespace {

// Whether the folder's buffer has steps; a buffer without them may be replaced.
Result<bool> has_steps(const std::filesystem::path& folder) {
    if (!holds_buffer(folder)) {
        return false;
    }
    const std::unique_ptr<DiskRing> ring = TENON_TRY(DiskRing::open(folder, DiskRing::Access::kWrite));
    return ring->newest_mark().has_value();
}

// The number of the last step whose slot may have been written. A power cut may lose the record that a step was begun,
// or the copy of the step that it overwrote, because the system writes pages in any order. This cannot happen before
// the run has continued after the checkpoint, nor after its next checkpoint, which is at most `spare` steps later.
std::uint64_t may_be_written(const DiskRing& files, std::uint64_t checkpoint) {
    const std::uint64_t begun = files.begun();
    return begun > checkpoint + 1 ? std::max(begun, checkpoint + files.layout().spare) : begun;
}

Problem damage(const DiskRing& files, std::span<const std::uint64_t> steps) {
    const std::uint64_t oldest = steps.back();
    const StorageColumn* const column = files.damaged_column(oldest);
    std::string sentence = "the buffer in " + files.folder().string() + " is damaged: step " + std::to_string(oldest) +
                           " in slot " + std::to_string(oldest % files.layout().slots);
    sentence += column == nullptr ? "" : " of columns/" + column->key;
    sentence += steps.size() == 1
                    ? " is not as the run wrote it"
                    : " and " + counted(steps.size() - 1, "later step") + " are not as the run wrote them";
    return environment_problem(std::move(sentence), {},
                               "put the folder back from a copy, or begin a new run with the run's weights: --from");
}

Problem of_another_buffer(const std::filesystem::path& folder) {
    return input_problem(
        "the checkpoint was written for another buffer than that in " + folder.string() + ": its position does not fit",
        {}, "put the run's buffer back from a copy, or begin a new run with its weights: --from");
}

// A storage with these files, of which the steps before `marked` are marked.
Storage storage_of(std::unique_ptr<DiskRing> files, std::uint64_t marked) {
    const DiskLayout& layout = files->layout();
    std::vector<StorageColumn> columns = layout.columns;
    const std::uint32_t slots = layout.slots;
    const std::uint32_t lanes = layout.lanes;
    return {std::move(columns), slots, lanes, std::make_unique<DiskMarks>(std::move(files), marked)};
}

}  // namespace

DiskMarks* disk_marks(const Storage& storage) {
    return dynamic_cast<DiskMarks*>(&storage.backing());
}

Result<Storage> create_on_disk(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                               const DiskFolder& disk) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    const bool used = TENON_TRY(disk.replace ? Result<bool>(false) : has_steps(disk.folder));
    if (used) {
        return input_problem(disk.folder.string() + " already holds the frames of another run");
    }
    std::unique_ptr<DiskRing> files = TENON_TRY(DiskRing::create(
        {.slots = slots, .lanes = lanes, .spare = disk.spare, .columns = std::move(complete), .specs = disk.specs},
        disk.folder));
    files->expect_random_reads();
    return storage_of(std::move(files), 0);
}

Result<Storage> open_on_disk(const std::filesystem::path& folder, bool to_write) {
    std::unique_ptr<DiskRing> files =
        TENON_TRY(DiskRing::open(folder, to_write ? DiskRing::Access::kWrite : DiskRing::Access::kRead));
    const std::vector<std::uint64_t> first = TENON_TRY(files->read_lanes());
    const std::optional<DiskRing::Whole> whole = files->whole_steps();
    files->expect_random_reads();
    Storage out = storage_of(std::move(files), whole ? whole->last : 0);
    if (!whole) {
        return out;
    }
    Ring::Position position{.head = static_cast<std::uint32_t>(whole->last % out.slots()),
                            .count = std::vector<std::uint32_t>(out.lanes(), 0),
                            .parked = std::vector<std::uint8_t>(out.lanes(), 0),
                            .appended = whole->last};
    for (std::uint32_t lane = 0; lane < out.lanes(); ++lane) {
        position.parked[lane] = first[lane] == DiskRing::kNever ? 1 : 0;
        const std::uint64_t from = std::max(whole->first, first[lane]);
        position.count[lane] = from < whole->last ? static_cast<std::uint32_t>(whole->last - from) : 0;
    }
    out.ring().stand_at(position);
    if (to_write) {
        disk_marks(out)->forget_from(whole->last);
        disk_marks(out)->keep_next(out.ring());
    }
    return out;
}

Result<Storage> reopen_on_disk(const std::filesystem::path& folder) {
    std::unique_ptr<DiskRing> files = TENON_TRY(DiskRing::open(folder, DiskRing::Access::kWrite));
    const std::optional<std::uint64_t> newest = files->newest_mark();
    const std::uint64_t head = newest ? *newest + 1 : 0;  // its writer had already begun to write this step
    Storage out = storage_of(std::move(files), head);
    out.ring().stand_at({.head = static_cast<std::uint32_t>(head % out.slots()),
                         .count = std::vector<std::uint32_t>(out.lanes(), 0),
                         .parked = std::vector<std::uint8_t>(out.lanes(), 0),
                         .appended = head});
    return out;
}

void DiskMarks::mark(const Storage& storage) {
    const Ring& ring = storage.ring();
    const std::uint64_t appended = ring.view().appended;
    const std::uint64_t oldest = appended < ring.slots() ? 0 : appended + 1 - ring.slots();
    for (std::uint64_t step = std::max(marked_, oldest); step < appended; ++step) {
        files_->seal(step);
    }
    marked_ = appended;
}

void DiskMarks::on_end(const Ring& ring) {
    if (const std::uint64_t appended = ring.view().appended; appended > 0 && marked_ == appended) {
        files_->seal(appended - 1);
    }
}

void DiskMarks::on_move(const Ring& ring) {
    write_lanes(ring);
    keep_next(ring);
}

void DiskMarks::forget_from(std::uint64_t step) {
    marked_ = step;
    files_->forget_from(step);
}

void DiskMarks::keep_next(const Ring& ring) {
    const std::uint64_t appended = ring.view().appended;
    if (appended + 1 < ring.slots()) {
        return;
    }
    const std::uint64_t step = appended + 1 - ring.slots();
    if (files_->mark_of(step) == 0 && step < appended) {  // nobody has called mark for as long as the ring lasts
        files_->seal(step);
    }
    if (step < needed_) {
        files_->keep(step);
    }
    files_->begin(appended + 1);
}

// The frames are not copied; the checkpoint says which they are.
Status DiskMarks::save(Storage& storage, const std::filesystem::path& checkpoint) {
    mark(storage);
    TENON_TRY(files_->sync());
    return write_ring(storage, checkpoint / kRingFile);
}

Result<std::uint64_t> DiskMarks::restore(Storage& storage, const std::filesystem::path& checkpoint) {
    return restore_ring(storage, checkpoint / kRingFile);
}

void DiskMarks::write_lanes(const Ring& ring) {
    std::vector<std::uint64_t> first(ring.lanes());
    for (std::uint32_t lane = 0; lane < ring.lanes(); ++lane) {
        first[lane] = ring.parked()[lane] != 0 ? DiskRing::kNever : ring.view().appended - ring.count(lane);
    }
    files_->write_lanes(first);
}

Past past_of(const Storage& storage) {
    const Ring& ring = storage.ring();
    const std::uint64_t appended = ring.view().appended;
    DiskMarks& marks = *disk_marks(storage);
    marks.need(appended);
    marks.keep_next(ring);
    Past out{.position = ring.position(), .checksum = 0};
    for (std::uint64_t step = appended - (ring.live_slots() - 1); step + 1 < appended; ++step) {
        out.checksum += marks.files().mark_of(step);
    }
    return out;
}

Result<std::uint64_t> go_back(Storage& storage, const Past& past) {
    DiskMarks& marks = *disk_marks(storage);
    DiskRing& files = marks.files();
    const std::uint32_t slots = storage.slots();
    Ring::Position position = past.position;
    const std::uint64_t held = position.count.empty() ? 0 : *std::ranges::max_element(position.count);
    if (position.count.size() != storage.lanes() || position.parked.size() != storage.lanes() ||
        position.appended < held || held >= slots || position.appended % slots != position.head) {
        return of_another_buffer(files.folder());
    }
    std::vector<DiskRing::Found> found;  // the newest first
    std::vector<std::uint64_t> damaged;
    std::uint64_t sum = 0;
    const std::uint64_t rewritten = may_be_written(files, position.appended);
    for (std::uint64_t back = 2; back <= held; ++back) {
        const std::uint64_t step = position.appended - back;
        if (const std::optional<DiskRing::Found> at_step = files.find(step)) {
            found.push_back(*at_step);
            sum += at_step->checksum;
        } else if (step + slots <= rewritten) {
            break;  // overwritten, and so are all older ones
        } else {
            damaged.push_back(step);
        }
    }
    if (!damaged.empty()) {
        return damage(files, damaged);
    }
    const std::uint64_t gone = held == 0 ? 0 : held - 1 - found.size();
    if (gone == 0 && sum != past.checksum) {
        return input_problem("the buffer in " + files.folder().string() +
                             " holds other frames than when the checkpoint was written");
    }
    for (std::uint64_t back = 2; back < 2 + found.size(); ++back) {
        files.put_back(position.appended - back, found[back - 2]);
    }
    for (std::uint32_t& count : position.count) {
        count = std::min(count, static_cast<std::uint32_t>(held - gone));
    }
    // Policies may read slots that the ring has yet to write, so these must have their old contents: nothing, before
    // the ring has wrapped around.
    const std::uint64_t written = files.newest_mark().value_or(0) + files.layout().spare + 3;
    for (std::uint64_t step = position.appended + 1; step < std::min<std::uint64_t>(slots, written); ++step) {
        files.wipe(step);
    }
    marks.forget_from(position.appended == 0 ? 0 : position.appended - 1);
    marks.need(position.appended);
    if (!storage.stand_at(position)) {
        return of_another_buffer(files.folder());
    }
    files.expect_random_reads();
    return gone;
}

}  // namespace tenon
