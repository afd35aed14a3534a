// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/storage.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/data/flags.hpp"
#include "base/data/in_blocks.hpp"
#include "base/data/memory.hpp"
#include "base/error/counted.hpp"
#include "experience/replay/disk_ring.hpp"
#include "experience/replay/packed_rows.hpp"

namespace tenon {
namespace {

// Refuses a buffer that can never be filled, before days of work are lost: the system allocates more memory than it has
// and kills the process that uses it. Final values are few and not counted.
// Compressed columns are not counted either: their size is not known in advance.
Status check_room(const std::vector<StorageColumn>& columns, std::uint32_t slots, std::uint32_t lanes, bool compress) {
    double bytes = 0;
    for (const StorageColumn& column : columns) {
        const bool counts = !compress || !PackedRows::packs(column);
        bytes += counts ? static_cast<double>(row_bytes(column)) * slots * lanes : 0;
    }
    const std::uint64_t installed = installed_memory();
    if (bytes <= static_cast<double>(installed)) {
        return {};
    }
    return environment_problem("the frames of " + counted(slots, "step") + " of " + counted(lanes, "lane") + " need " +
                                   bytes_text(static_cast<std::uint64_t>(std::min(bytes, 1e19))) + ", but there are " +
                                   bytes_text(installed) + " of memory",
                               {}, "lower the buffer's capacity or the number of lanes");
}

std::size_t in_slabs(std::size_t bytes) {
    return (bytes + kSlabAlignment - 1) / kSlabAlignment * kSlabAlignment;
}

}  // namespace

Storage::Storage() = default;
Storage::Storage(Storage&&) noexcept = default;
Storage& Storage::operator=(Storage&&) noexcept = default;
Storage::~Storage() = default;

Result<Storage> Storage::make(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                              bool compress) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    TENON_TRY(check_room(complete, slots, lanes, compress));
    Storage out;
    const auto allocate = [&](std::size_t bytes) -> Result<std::byte*> {
        out.slabs_.push_back(TENON_TRY(Slab::make(bytes)));
        return out.slabs_.back().as<std::byte>();
    };
    TENON_TRY(out.lay_out(std::move(complete), slots, lanes, allocate));
    if (compress) {
        out.packed_ = TENON_TRY(PackedRows::make(out.columns_, slots, lanes));
    }
    return out;
}

Result<Storage> Storage::make_in(std::byte* memory, std::vector<StorageColumn> columns, std::uint32_t slots,
                                 std::uint32_t lanes) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    Storage out;
    const auto next = [&](std::size_t bytes) -> Result<std::byte*> {
        return std::exchange(memory, memory + in_slabs(bytes));
    };
    const Status laid = out.lay_out(std::move(complete), slots, lanes, next);
    return laid ? Result<Storage>(std::move(out)) : laid.error();
}

Result<std::size_t> Storage::bytes_in(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    Storage out;
    std::size_t bytes = 0;
    const auto count = [&](std::size_t more) -> Result<std::byte*> {
        bytes += in_slabs(more);
        return Result<std::byte*>(nullptr);
    };
    const Status laid = out.lay_out(std::move(complete), slots, lanes, count);
    return laid ? Result<std::size_t>(bytes) : laid.error();
}

// `allocate` returns so many bytes of zeros.
template <class Allocate>
Status Storage::lay_out(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                        Allocate allocate) {
    const std::uint64_t rows = std::uint64_t{slots} * lanes;
    const auto place = [&](const StorageColumn& column) -> Result<View> {
        const std::size_t row = row_bytes(column);
        if (row > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) / rows) {
            return environment_problem("'" + column.key + "' is too large to be stored in " + counted(slots, "slot") +
                                       " of " + counted(lanes, "lane"));
        }
        std::byte* memory = TENON_TRY(allocate(row * rows));
        return dense(memory, column.dtype, join(Shape{slots, lanes}, column.row));
    };
    for (StorageColumn& column : columns) {
        Result<View> view = place(column);
        if (view && column.role == Role::kObservation) {
            column.view = *view;
            view = place(column);
            column.final = view ? *view : View{};
        } else if (view) {
            column.view = *view;
            column.final = {};
        }
        if (!view) {
            return std::move(view.error());
        }
    }
    columns_ = std::move(columns);
    slots_ = slots;
    lanes_ = lanes;
    first_.assign(lanes, 0);
    count_.assign(lanes, 0);
    parked_.assign(lanes, 0);
    point();
    return {};
}

void Storage::point() {
    terminated_ = find("terminated")->view.as<std::uint8_t>();
    truncated_ = find("truncated")->view.as<std::uint8_t>();
    is_init_ = find("is_init")->view.as<std::uint8_t>();
    view_ = {.struct_size = sizeof(tn_buffer_view),
             .slots = slots_,
             .lanes = lanes_,
             .reserved = 0,
             .first = first_.data(),
             .count = count_.data(),
             .total = 0,
             .appended = view_.appended,
             .terminated = terminated_,
             .truncated = truncated_};
    for (const std::uint32_t count : count_) {
        view_.total += count;
    }
}

std::uint32_t Storage::slots_for(std::uint64_t capacity_frames, std::uint32_t lanes) {
    const std::uint64_t transitions = std::max<std::uint64_t>((capacity_frames + lanes - 1) / lanes, 1);
    return static_cast<std::uint32_t>(
               std::min<std::uint64_t>(transitions, std::numeric_limits<std::uint32_t>::max() - 1)) +
           1;
}

const StorageColumn* Storage::find(std::string_view key) const {
    const auto at =
        std::find_if(columns_.begin(), columns_.end(), [&](const auto& column) { return column.key == key; });
    return at == columns_.end() ? nullptr : &*at;
}

void Storage::advance() {
    const std::uint32_t next = slot_after(head_);
    const std::size_t from = std::size_t{head_} * lanes_;
    either_set(terminated_ + from, truncated_ + from, is_init_ + std::size_t{next} * lanes_, lanes_);
    if (view_.total == std::uint64_t{lanes_} * (slots_ - 1)) {
        in_blocks(lanes_, [first = first_.data(), after = slot_after(next)](std::size_t lane) {
            first[lane] = after;  // `next` held the oldest transition of every lane
        });
    } else {
        advance_lanes(next);
    }
    ++view_.appended;
    head_ = next;
    if (disk_ != nullptr) {
        keep_next();
    }
}

void Storage::note_ends(std::uint32_t slot, std::span<const std::uint8_t> terminated,
                        std::span<const std::uint8_t> truncated) {
    const std::size_t at = std::size_t{slot} * lanes_;
    std::ranges::copy(terminated, terminated_ + at);
    std::ranges::copy(truncated, truncated_ + at);
    either_set(terminated_ + at, truncated_ + at, is_init_ + std::size_t{slot_after(slot)} * lanes_, lanes_);
}

void Storage::advance_lanes(std::uint32_t next) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (parked_[lane] != 0) {
            continue;
        }
        if (count_[lane] == slots_ - 1) {
            first_[lane] = slot_after(next);
        } else {
            if (count_[lane] == 0) {
                first_[lane] = head_;
            }
            ++count_[lane];
            ++view_.total;
        }
    }
}

void Storage::advance_lane(std::uint32_t lane) {
    const std::uint32_t head = lane_head(lane);
    if (!uneven_) {
        uneven_ = true;
        for (std::uint32_t each = 0; each < lanes_; ++each) {
            first_[each] = slot_back(count_[each]);
        }
    }
    const std::size_t from = std::size_t{head} * lanes_ + lane;
    is_init_[std::size_t{slot_after(head)} * lanes_ + lane] = terminated_[from] | truncated_[from];
    if (count_[lane] == slots_ - 1) {
        first_[lane] = slot_after(first_[lane]);
    } else {
        ++count_[lane];
        ++view_.total;
    }
    ++view_.appended;
}

void Storage::align() {
    if (!uneven_) {
        return;
    }
    const std::uint32_t head = live_slots() - 1;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        turn_lane(lane, (head + slots_ - lane_head(lane)) % slots_);
    }
    stand_at({.head = head, .count = count_, .parked = parked_, .appended = view_.appended});
}

// Each row moves forward by `by` slots. Rows move along cycles, so that one row's memory is enough.
void Storage::turn_lane(std::uint32_t lane, std::uint32_t by) {
    const std::uint32_t cycles = by == 0 ? 0 : std::gcd(by, slots_);
    std::vector<std::byte> carried;
    std::vector<std::byte> found;
    const auto turn = [&](const View& view, std::size_t bytes) {
        carried.resize(bytes);
        found.resize(bytes);
        for (std::uint32_t begin = 0; begin < cycles; ++begin) {
            std::memcpy(carried.data(), row_at(view, begin, lane), bytes);
            std::uint32_t slot = begin;
            do {
                slot = static_cast<std::uint32_t>((std::uint64_t{slot} + by) % slots_);
                std::memcpy(found.data(), row_at(view, slot, lane), bytes);
                std::memcpy(row_at(view, slot, lane), carried.data(), bytes);
                carried.swap(found);
            } while (slot != begin);
        }
    };
    for (const StorageColumn& column : columns_) {
        turn(column.view, row_bytes(column));
        if (column.final.data != nullptr) {
            turn(column.final, row_bytes(column));
        }
    }
}

void Storage::show_before(std::uint32_t done, std::uint32_t coming) {
    shown_first_.resize(lanes_);
    shown_count_.resize(lanes_);
    shown_ = view_;
    shown_.first = shown_first_.data();
    shown_.count = shown_count_.data();
    shown_.appended -= done;
    shown_.total = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const std::uint32_t count = count_[lane] - std::min(done, count_[lane]);
        const std::uint32_t later = count + done + coming;
        const std::uint32_t lost = std::min(later - std::min(later, slots_ - 1), count);
        shown_first_[lane] = (first_[lane] + lost) % slots_;
        shown_count_[lane] = count - lost;
        shown_.total += shown_count_[lane];
    }
    before_ = true;
}

void Storage::arrange(const Arrangement& arrangement) {
    arrangement_ = arrangement;
    view_.terminated = arrangement.terminated != nullptr ? arrangement.terminated : terminated_;
    view_.truncated = arrangement.truncated != nullptr ? arrangement.truncated : truncated_;
    show(0, 0);
}

void Storage::show(std::uint32_t rows, std::uint64_t changes) {
    count_.front() = rows;
    view_.total = rows;
    view_.appended = changes;
}

void Storage::begin_episodes(const std::uint8_t* mask) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (mask != nullptr && mask[lane] == 0) {
            continue;
        }
        const std::uint32_t head = lane_head(lane);
        const std::uint32_t last = slot_before(head);
        is_init_[std::size_t{head} * lanes_ + lane] = 1;
        const std::size_t at = std::size_t{last} * lanes_ + lane;
        if (count_[lane] == 0 || (terminated_[at] | truncated_[at]) != 0) {
            continue;
        }
        truncated_[at] = 1;
        for (const StorageColumn& column : columns_) {
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, last, lane), row_at(column.view, head, lane), row_bytes(column));
            }
        }
    }
    if (disk_ != nullptr && view_.appended > 0 && sealed_ == view_.appended) {
        disk_->seal(view_.appended - 1);  // its end has changed
    }
}

void Storage::park(std::uint32_t lane) {
    parked_[lane] = 1;
    view_.total -= count_[lane];
    count_[lane] = 0;
    if (disk_ != nullptr) {
        write_lanes();
    }
}

void Storage::rewind() {
    for (const StorageColumn& column : columns_) {
        const std::size_t size = row_bytes(column) * lanes_;
        if (head_ != 0) {
            std::memcpy(row_at(column.view, 0, 0), row_at(column.view, head_, 0), size);
        }
        // Rows at the head that a shorter batch leaves unwritten must not depend on earlier batches, because those are
        // not saved.
        if (head_ != 0 && column.role != Role::kObservation) {
            std::memset(row_at(column.view, 1, 0), 0, size * head_);
        }
    }
    head_ = 0;
    uneven_ = false;
    std::fill(first_.begin(), first_.end(), 0);
    std::fill(count_.begin(), count_.end(), 0);
    view_.total = 0;
}

std::uint32_t Storage::slot_back(std::uint32_t steps) const {
    return head_ >= steps ? head_ - steps : head_ + (slots_ - steps);
}

std::uint32_t Storage::live_slots() const {
    return 1 + *std::max_element(count_.begin(), count_.end());
}

bool Storage::packs(const StorageColumn& column) const {
    return packed_ != nullptr && PackedRows::packs(column);
}

void Storage::clear() {
    if (disk_ != nullptr) {
        disk_->forget_from(0);
        sealed_ = 0;
    }
    stand_at({.head = 0,
              .count = std::vector<std::uint32_t>(lanes_, 0),
              .parked = std::vector<std::uint8_t>(lanes_, 0),
              .appended = 0});
}

bool Storage::stand_at(const Position& position) {
    if (!place(position)) {
        return false;
    }
    if (packed_ != nullptr) {
        packed_->begin_at(0);
    }
    if (disk_ != nullptr) {
        write_lanes();
        keep_next();
    }
    return true;
}

bool Storage::place(const Position& position) {
    std::uint32_t most = 0;
    bool sane = position.head < slots_ && position.count.size() == lanes_ && position.parked.size() == lanes_;
    for (std::uint32_t lane = 0; lane < lanes_ && sane; ++lane) {
        sane = position.count[lane] < slots_ && position.parked[lane] <= 1;
        most = std::max(most, position.count[lane]);
    }
    if (!sane || position.appended < most || (disk_ != nullptr && position.appended % slots_ != position.head)) {
        return false;
    }
    head_ = position.head;
    uneven_ = false;
    count_ = position.count;
    parked_ = position.parked;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        first_[lane] = slot_back(count_[lane]);
    }
    view_.appended = position.appended;
    point();
    return true;
}

void Storage::take(const Storage& other) {
    clear();
    const std::uint32_t live = other.live_slots();
    for (std::uint32_t slot = 0; slot < live; ++slot) {
        const std::uint32_t from = other.slot_back(live - 1 - slot);
        for (StorageColumn& column : columns_) {
            const StorageColumn* const source = other.find(column.key);
            if (source == nullptr) {
                continue;
            }
            const std::size_t size = row_bytes(column) * lanes_;
            std::memcpy(row_at(column.view, slot, 0), row_at(source->view, from, 0), size);
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, slot, 0), row_at(source->final, from, 0), size);
            }
        }
    }
    stand_at({.head = live - 1,
              .count = other.count_,
              .parked = std::vector<std::uint8_t>(lanes_, 0),
              .appended = live - 1});
}

}  // namespace tenon
