// SPDX-License-Identifier: Apache-2.0
// The storage's part of a checkpoint: a header that says what is stored, the counters, then each column's live slots
// from the oldest to the head. Final values are written where an episode ended, and nowhere else.
#include <string>

#include "data/state_stream.hpp"
#include "replay/storage.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kVersion = 1;

std::string header_of(const Storage& storage) {
    std::string out = "storage/" + std::to_string(kVersion) + " " + std::to_string(storage.slots()) + "x" +
                      std::to_string(storage.lanes());
    for (const StorageColumn& column : storage.columns()) {
        out += " " + column.key + ":" + std::string(name_of(column.dtype)) + to_string(column.row);
    }
    return out;
}

template <class Stream>
void each_final(const Storage& storage, const StorageColumn& column, std::uint32_t slot, Stream&& stream) {
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::size_t at = std::size_t{slot} * storage.lanes() + lane;
        if ((storage.terminated()[at] | storage.truncated()[at]) != 0) {
            stream.bytes(row_at(column.final, slot, lane), row_bytes(column));
        }
    }
}

// The columns' rows at one slot, written or read: the order is the format. Flags go first since final rows depend on
// them.
template <class Stream>
void each_row(const Storage& storage, std::uint32_t slot, Stream&& stream) {
    for (const std::string_view key : {"terminated", "truncated"}) {
        stream.bytes(row_at(storage.find(key)->view, slot, 0), storage.lanes());
    }
    for (const StorageColumn& column : storage.columns()) {
        stream.bytes(row_at(column.view, slot, 0), row_bytes(column) * storage.lanes());
        if (column.final.data != nullptr) {
            each_final(storage, column, slot, stream);
        }
    }
}

}  // namespace

// The slot that was the head so many steps ago.
std::uint32_t Storage::slot_back(std::uint32_t steps) const {
    return head_ >= steps ? head_ - steps : head_ + (slots_ - steps);
}

void Storage::clear() {
    head_ = 0;
    first_.assign(lanes_, 0);
    count_.assign(lanes_, 0);
    parked_.assign(lanes_, 0);
    point();
}

Status Storage::save(const tn_writer& writer) const {
    StateSink sink(writer);
    sink.text(header_of(*this));
    sink.number(head_);
    sink.bytes(first_.data(), first_.size() * sizeof first_[0]);
    sink.bytes(count_.data(), count_.size() * sizeof count_[0]);
    sink.bytes(parked_.data(), parked_.size());
    const std::uint32_t live = live_slots();
    for (std::uint32_t i = 0; i < live; ++i) {
        each_row(*this, slot_back(live - 1 - i), sink);
    }
    return sink.status("the buffer");
}

Status Storage::load(const tn_reader& reader) {
    StateSource source(reader);
    const std::string header = source.text();
    if (!source.failed() && header != header_of(*this)) {
        return input_problem("the saved buffer holds '" + header + "', this run wants '" + header_of(*this) + "'");
    }
    head_ = source.number<std::uint32_t>();
    source.bytes(first_.data(), first_.size() * sizeof first_[0]);
    source.bytes(count_.data(), count_.size() * sizeof count_[0]);
    source.bytes(parked_.data(), parked_.size());
    bool sane = head_ < slots_;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        sane = sane && first_[lane] < slots_ && count_[lane] < slots_ && parked_[lane] <= 1;
        // A lane's newest transition starts just before the head.
        sane = sane && (count_[lane] == 0 || (std::uint64_t{first_[lane]} + count_[lane]) % slots_ == head_);
    }
    if (source.failed() || !sane) {
        clear();
        return source.failed() ? source.status("the buffer")
                               : input_problem("the saved buffer is damaged: its counters do not fit its " +
                                               std::to_string(slots_) + " slots");
    }
    const std::uint32_t live = live_slots();
    for (std::uint32_t i = 0; i < live && !source.failed(); ++i) {
        each_row(*this, slot_back(live - 1 - i), source);
    }
    point();
    if (source.failed()) {
        clear();
    }
    return source.status("the buffer");
}

}  // namespace tenon
