// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/storage.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/data/memory.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

// Refuses a buffer that does not fit into memory, before days of work are lost: the system would allocate it, and later
// kill the process that uses it. Final values are few and not counted. Columns that will not stay in memory are not
// counted either, because their size is not known in advance.
Status check_room(const std::vector<StorageColumn>& columns, std::uint32_t slots, std::uint32_t lanes,
                  const Backing& backing) {
    double bytes = 0;
    for (const StorageColumn& column : columns) {
        bytes += backing.packs(column) ? 0 : static_cast<double>(row_bytes(column)) * slots * lanes;
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

// Gives the columns views of memory; `allocate` returns so many bytes of zeros.
template <class Allocate>
Status lay_out(std::vector<StorageColumn>& columns, std::uint32_t slots, std::uint32_t lanes, Allocate allocate) {
    const std::uint64_t rows = std::uint64_t{slots} * lanes;
    for (StorageColumn& column : columns) {
        const std::size_t row = row_bytes(column);
        if (row > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) / rows) {
            return environment_problem("'" + column.key + "' is too large to be stored in " + counted(slots, "slot") +
                                       " of " + counted(lanes, "lane"));
        }
        const Shape shape = join(Shape{slots, lanes}, column.row);
        std::byte* const memory = TENON_TRY(allocate(row * rows));
        column.view = dense(memory, column.dtype, shape);
        column.final = {};
        if (column.role == Role::kObservation) {
            std::byte* const finals = TENON_TRY(allocate(row * rows));
            column.final = dense(finals, column.dtype, shape);
        }
    }
    return {};
}

// The rows of so many steps from slot 0 on become rows before slot 0.
void move_before(const StorageColumn& column, std::uint32_t steps, std::uint32_t lanes) {
    const std::size_t row = row_bytes(column);
    const std::uint32_t newer = std::min(steps, column.earlier);
    const std::uint32_t kept = column.earlier - newer;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        std::byte* const rows = column.before + std::size_t{lane} * column.earlier * row;
        std::memmove(rows, rows + newer * row, kept * row);
        for (std::uint32_t i = 0; i < newer; ++i) {
            std::memcpy(rows + (kept + i) * row, row_at(column.view, steps - newer + i, lane), row);
        }
    }
}

}  // namespace

Storage::Storage(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                 std::unique_ptr<Backing> backing)
    : columns_(std::move(columns)),
      flags_{.terminated = find("terminated")->view.as<std::uint8_t>(),
             .truncated = find("truncated")->view.as<std::uint8_t>(),
             .is_init = find("is_init")->view.as<std::uint8_t>(),
             .lanes = lanes},
      ring_(slots, lanes),
      backing_(std::move(backing)) {
    ring_.show_flags(flags_.terminated, flags_.truncated);
}

Result<Storage> Storage::make(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                              std::unique_ptr<Backing> backing) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    TENON_TRY(check_room(complete, slots, lanes, *backing));
    std::vector<Slab> slabs;
    const auto allocate = [&](std::size_t bytes) -> Result<std::byte*> {
        slabs.push_back(TENON_TRY(Slab::make(bytes)));
        return slabs.back().as<std::byte>();
    };
    TENON_TRY(lay_out(complete, slots, lanes, allocate));
    Storage out(std::move(complete), slots, lanes, std::move(backing));
    out.slabs_ = std::move(slabs);
    TENON_TRY(out.keep_earlier());
    const std::uint32_t back = sampled_back(out.columns_);
    if (back + 2 < slots) {  // otherwise it is no ring: the desk of lanes whose steps are uneven
        out.ring_.hold_back(back);
    }
    return out;
}

Result<Storage> Storage::make_in(std::byte* memory, std::vector<StorageColumn> columns, std::uint32_t slots,
                                 std::uint32_t lanes) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    const auto next = [&](std::size_t bytes) -> Result<std::byte*> {
        return std::exchange(memory, memory + in_slabs(bytes));
    };
    TENON_TRY(lay_out(complete, slots, lanes, next));
    Storage out(std::move(complete), slots, lanes);
    TENON_TRY(out.keep_earlier());
    return out;
}

Status Storage::keep_earlier() {
    for (StorageColumn& column : columns_) {
        if (column.earlier > 0 && !column.sampled) {
            earlier_.push_back(TENON_TRY(Slab::make(std::size_t{lanes()} * column.earlier * row_bytes(column))));
            column.before = earlier_.back().as<std::byte>();
        }
    }
    return {};
}

Result<std::size_t> Storage::bytes_in(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes) {
    std::vector<StorageColumn> complete = TENON_TRY(complete_columns(std::move(columns), slots, lanes));
    std::size_t bytes = 0;
    const auto count = [&](std::size_t more) -> Result<std::byte*> {
        bytes += in_slabs(more);
        return Result<std::byte*>(nullptr);
    };
    TENON_TRY(lay_out(complete, slots, lanes, count));
    return bytes;
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
    flags_.begin_after(head(), slot_after(head()));
    ring_.advance();
    backing_->on_advance(ring_);
}

void Storage::begin_episodes(const std::uint8_t* mask) {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
        if (mask != nullptr && mask[lane] == 0) {
            continue;
        }
        const std::uint32_t head = ring_.lane_head(lane);
        const std::uint32_t last = slot_before(head);
        flags_.is_init[std::size_t{head} * lanes() + lane] = 1;
        if (ring_.count(lane) == 0 || flags_.ended(last, lane)) {
            continue;
        }
        flags_.truncated[std::size_t{last} * lanes() + lane] = 1;
        for (const StorageColumn& column : columns_) {
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, last, lane), row_at(column.view, head, lane), row_bytes(column));
            }
        }
    }
    backing_->on_end(ring_);
}

void Storage::park(std::uint32_t lane) {
    ring_.park(lane);
    backing_->on_park(ring_);
}

void Storage::rewind() {
    for (const StorageColumn& column : columns_) {
        if (column.earlier > 0) {
            move_before(column, head(), lanes());
        }
        const std::size_t size = row_bytes(column) * lanes();
        if (head() != 0) {
            std::memcpy(row_at(column.view, 0, 0), row_at(column.view, head(), 0), size);
        }
        // Rows at the head that a shorter batch leaves unwritten must not depend on earlier batches, because those are
        // not saved.
        if (head() != 0 && column.role != Role::kObservation) {
            std::memset(row_at(column.view, 1, 0), 0, size * head());
        }
    }
    ring_.rewind();
}

bool Storage::stand_at(const Ring::Position& position) {
    if (!backing_->permits(position) || !ring_.stand_at(position)) {
        return false;
    }
    backing_->on_move(ring_);
    return true;
}

void Storage::clear() {
    backing_->on_clear();
    stand_at({.head = 0,
              .count = std::vector<std::uint32_t>(lanes(), 0),
              .parked = std::vector<std::uint8_t>(lanes(), 0),
              .appended = 0});
}

void Storage::arrange(const Arrangement& arrangement) {
    arrangement_ = arrangement;
    ring_.show_flags(arrangement.terminated != nullptr ? arrangement.terminated : flags_.terminated,
                     arrangement.truncated != nullptr ? arrangement.truncated : flags_.truncated);
    ring_.show_arranged(0, 0);
}

}  // namespace tenon
