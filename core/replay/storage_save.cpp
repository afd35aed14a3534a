// SPDX-License-Identifier: Apache-2.0
// The storage's part of a checkpoint: a header that says what is stored, the counters, then each column's live slots
// from the oldest to the head. Final values are written where an episode ended, and nowhere else.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "data/state_stream.hpp"
#include "replay/storage.hpp"

namespace tenon {
namespace {

constexpr std::string_view kSecond = "storage/2";
constexpr std::string_view kThird = "storage/3";  // has the number of steps

// As sentences say it; until "storage/2" this was the header.
std::string text_of(const Storage& storage) {
    std::string out = "storage/1 " + std::to_string(storage.slots()) + "x" + std::to_string(storage.lanes());
    for (const StorageColumn& column : storage.columns()) {
        out += " " + column.key + ":" + std::string(name_of(column.dtype)) + to_string(column.row);
    }
    return out;
}

void write_header(const Storage& storage, StateSink& sink) {
    sink.text(kThird);
    sink.number(storage.slots());
    sink.number(storage.lanes());
    sink.number(static_cast<std::uint32_t>(storage.columns().size()));
    for (const StorageColumn& column : storage.columns()) {
        sink.text(column.key);
        sink.number(static_cast<std::int32_t>(column.role));
        sink.number(static_cast<std::int32_t>(column.dtype));
        sink.number(column.row.rank);
        for (std::uint32_t i = 0; i < column.row.rank; ++i) {
            sink.number(column.row[i]);
        }
    }
}

// An empty storage as the header has it.
Result<Storage> read_header(StateSource& source) {
    const auto slots = source.number<std::uint32_t>();
    const auto lanes = source.number<std::uint32_t>();
    std::vector<StorageColumn> columns;
    for (auto left = source.number<std::uint32_t>(); left > 0 && !source.failed(); --left) {
        StorageColumn column;
        column.key = source.text();
        column.role = static_cast<Role>(source.number<std::int32_t>());
        column.dtype = static_cast<DType>(source.number<std::int32_t>());
        std::vector<std::int64_t> extents(std::min(source.number<std::uint32_t>(), kMaxSpecRank + 1U));
        for (std::int64_t& extent : extents) {
            extent = source.number<std::int64_t>();
        }
        if (source.failed() || size_of(column.dtype) == 0 || extents.size() > kMaxSpecRank) {
            return input_problem("the saved buffer is damaged: its columns cannot be read");
        }
        column.row = Shape(std::span<const std::int64_t>(extents));
        if (!Storage::owns(column.key)) {
            columns.push_back(std::move(column));
        }
    }
    return source.failed() ? Result<Storage>(source.status("the buffer").error())
                           : Storage::make(std::move(columns), slots, lanes);
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
    view_.appended = 0;
    point();
}

Status Storage::save(const tn_writer& writer) const {
    StateSink sink(writer);
    write_header(*this, sink);
    sink.number(head_);
    sink.bytes(first_.data(), first_.size() * sizeof first_[0]);
    sink.bytes(count_.data(), count_.size() * sizeof count_[0]);
    sink.bytes(parked_.data(), parked_.size());
    sink.number(view_.appended);
    const std::uint32_t live = live_slots();
    for (std::uint32_t i = 0; i < live; ++i) {
        each_row(*this, slot_back(live - 1 - i), sink);
    }
    return sink.status("the buffer");
}

Status Storage::load(const tn_reader& reader) {
    StateSource source(reader);
    std::string saved = source.text();
    const bool counts_steps = saved == kThird;
    if (counts_steps || saved == kSecond) {
        const Result<Storage> other = read_header(source);
        if (!other) {
            return other.error();
        }
        saved = text_of(*other);
    }
    if (!source.failed() && saved != text_of(*this)) {
        return input_problem("the saved buffer holds '" + saved + "', this run wants '" + text_of(*this) + "'");
    }
    return load_contents(source, counts_steps);
}

Result<Storage> Storage::loaded(const tn_reader& reader) {
    StateSource source(reader);
    const std::string version = source.text();
    if (version != kSecond && version != kThird) {
        return input_problem("the buffer was saved by a version that did not write down what its columns are", {},
                             "resume that run with this version, which saves it anew");
    }
    Result<Storage> out = read_header(source);
    if (out) {
        if (Status done = out->load_contents(source, version == kThird); !done) {
            return std::move(done).error();
        }
    }
    return out;
}

Status Storage::load_contents(StateSource& source, bool counts_steps) {
    head_ = source.number<std::uint32_t>();
    source.bytes(first_.data(), first_.size() * sizeof first_[0]);
    source.bytes(count_.data(), count_.size() * sizeof count_[0]);
    source.bytes(parked_.data(), parked_.size());
    view_.appended = counts_steps ? source.number<std::uint64_t>() : live_slots() - 1;
    bool sane = head_ < slots_ && view_.appended + 1 >= live_slots();
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

void Storage::take(const Storage& other) {
    clear();
    const std::uint32_t live = other.live_slots();
    for (std::uint32_t slot = 0; slot < live; ++slot) {
        const std::uint32_t from = other.slot_back(live - 1 - slot);
        for (StorageColumn& column : columns_) {
            const StorageColumn& source = *other.find(column.key);
            const std::size_t size = row_bytes(column) * lanes_;
            std::memcpy(row_at(column.view, slot, 0), row_at(source.view, from, 0), size);
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, slot, 0), row_at(source.final, from, 0), size);
            }
        }
    }
    head_ = live - 1;
    view_.appended = head_;
    count_ = other.count_;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        first_[lane] = head_ - count_[lane];
    }
    point();
}

}  // namespace tenon
