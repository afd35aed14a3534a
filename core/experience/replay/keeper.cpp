// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/keeper.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace tenon {
namespace {

double number_at(const StorageColumn& column, std::uint32_t slot, std::uint32_t lane) {
    const void* const row = row_at(column.view, slot, lane);
    switch (column.dtype) {
        case DType::kF32:
            return *static_cast<const float*>(row);
        case DType::kF64:
            return *static_cast<const double*>(row);
        case DType::kI32:
            return *static_cast<const std::int32_t*>(row);
        case DType::kI64:
            return static_cast<double>(*static_cast<const std::int64_t*>(row));
        default:
            return *static_cast<const std::uint8_t*>(row);
    }
}

// The slot of a step that the ring holds.
std::uint32_t slot_of(const Storage& ring, std::uint64_t step) {
    return ring.slot_back(static_cast<std::uint32_t>(ring.view().appended - step));
}

__extension__ using Wide = unsigned __int128;

// An index in [0, n): the upper half of the product with 64 random bits.
std::uint64_t below(tn_key key, std::uint64_t counter, std::uint64_t n) {
    const tn_random_block block = tn_philox(key, counter);
    const std::uint64_t bits = std::uint64_t{block.word[0]} << 32U | block.word[1];
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * n) >> 64U);
}

}  // namespace

std::string fault_of_ranking(const StorageColumn& column) {
    return column.row.elements() == 1 ? ""
                                      : "has rows of " + to_string(column.row) + ", but one number ranks an episode";
}

Keeper::Keeper(Storage rows, KeepingRule rule, std::uint32_t lanes) : rows_(std::move(rows)), rule_(std::move(rule)) {
    const std::size_t slots = rows_.slots();
    memory_.begins.assign(lanes, 0);
    memory_.order.reserve(slots);
    if (rule_.keeping == Keeping::kBest) {
        free_.reserve(slots);
        terminated_.resize(slots);
        truncated_.resize(slots);
        memory_.episodes.reserve(slots);
        worst_.reserve(slots);
        goes_.reserve(slots);
    }
    clear();
}

Result<Keeper> Keeper::make(const Storage& ring, std::uint32_t rows, KeepingRule rule) {
    std::vector<StorageColumn> columns;
    std::ranges::copy_if(ring.columns(), std::back_inserter(columns),
                         [](const StorageColumn& column) { return !is_flag_column(column.key); });
    if (rule.keeping == Keeping::kBest) {
        const StorageColumn* const by = ring.find(rule.by);
        if (by == nullptr || !fault_of_ranking(*by).empty()) {
            return input_problem("'" + rule.by + "' ranks no episodes: " +
                                 (by == nullptr ? "it is not stored" : "it " + fault_of_ranking(*by)));
        }
    }
    Storage storage = TENON_TRY(Storage::make(std::move(columns), rows + 1, 1));
    return Keeper(std::move(storage), std::move(rule), ring.lanes());
}

void Keeper::clear() {
    remember({.begins = std::vector<std::uint64_t>(memory_.begins.size(), 0)});
}

bool Keeper::remember(const Memory& memory) {
    const bool best = rule_.keeping == Keeping::kBest;
    std::uint64_t steps = 0;
    for (const Episode& episode : memory.episodes) {
        steps += episode.length;
    }
    std::vector<std::uint8_t> taken(memory.used, 0);
    bool sane = memory.used <= capacity() && memory.begins.size() == memory_.begins.size() &&
                (best ? steps == memory.order.size() : memory.order.empty() && memory.used <= memory.seen);
    for (const std::uint32_t slot : memory.order) {
        sane = sane && slot < memory.used && taken[slot]++ == 0;
    }
    if (!sane) {
        return false;
    }
    memory_ = memory;  // copied into vectors that have room for everything, because others know their addresses
    free_.clear();
    for (std::uint32_t slot = memory_.used; best && slot-- > 0;) {
        if (taken[slot] == 0) {
            free_.push_back(slot);
        }
    }
    for (std::size_t i = 0; best && i < memory_.order.size(); ++i) {
        terminated_[i] = rows_.flags().terminated[memory_.order[i]];
        truncated_[i] = rows_.flags().truncated[memory_.order[i]];
    }
    rows_.arrange(best ? Arrangement{.order = memory_.order.data(),
                                     .terminated = terminated_.data(),
                                     .truncated = truncated_.data()}
                       : Arrangement{.alone = true});
    show();
    return true;
}

void Keeper::show() {
    const std::size_t rows = rule_.keeping == Keeping::kBest ? memory_.order.size() : memory_.used;
    rows_.ring().show_arranged(static_cast<std::uint32_t>(rows), memory_.seen);
}

void Keeper::take(const Storage& ring) {
    const std::uint64_t appended = ring.view().appended;
    const std::uint64_t held = std::min<std::uint64_t>(ring.ring().live_slots() - 1, appended);
    const std::uint64_t first = std::max(memory_.taken, appended - held);
    const auto* const is_init = ring.find("is_init")->view.as<std::uint8_t>();
    for (std::uint64_t step = first; step <= appended; ++step) {
        const std::uint32_t slot = slot_of(ring, step);
        for (std::uint32_t lane = 0; lane < ring.lanes(); ++lane) {
            if (ring.parked()[lane] != 0) {
                continue;
            }
            if (rule_.keeping == Keeping::kReservoir) {
                if (step < appended && ring.ring().holds(slot, lane)) {
                    take_row(ring, slot, lane);
                }
            } else if (is_init[std::size_t{slot} * ring.lanes() + lane] != 0 && step > memory_.begins[lane]) {
                take_episode(ring, lane, memory_.begins[lane], step);
                memory_.begins[lane] = step;
            }
        }
    }
    memory_.taken = appended;
    show();
}

void Keeper::take_row(const Storage& ring, std::uint32_t slot, std::uint32_t lane) {
    std::uint64_t to = memory_.seen++;
    if (to < capacity()) {
        ++memory_.used;
    } else if (to = below(rule_.key, to, memory_.seen); to >= capacity()) {
        return;
    }
    copy_row(ring, slot, lane, static_cast<std::uint32_t>(to));
    const std::uint32_t after = ring.slot_after(slot);
    const bool done = ring.flags().ended(slot, lane);
    const std::span<const StorageColumn> columns = rows_.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].final.data != nullptr && !done) {
            std::memcpy(row_at(columns[i].final, static_cast<std::uint32_t>(to), 0),
                        row_at(ring.columns()[i].view, after, lane), row_bytes(columns[i]));
        }
    }
}

// Copies a row and, at the end of an episode, its final values.
void Keeper::copy_row(const Storage& ring, std::uint32_t from, std::uint32_t lane, std::uint32_t to) {
    const bool done = ring.flags().ended(from, lane);
    const std::span<const StorageColumn> columns = rows_.columns();  // in the order of the ring's
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const StorageColumn& source = ring.columns()[i];
        std::memcpy(row_at(columns[i].view, to, 0), row_at(source.view, from, lane), row_bytes(source));
        if (done && source.final.data != nullptr) {
            std::memcpy(row_at(columns[i].final, to, 0), row_at(source.final, from, lane), row_bytes(source));
        }
    }
}

double Keeper::score_of(const Storage& ring, std::uint32_t lane, std::uint64_t begin, std::uint64_t end) const {
    const StorageColumn& by = *ring.find(rule_.by);
    double sum = 0;
    for (std::uint64_t step = begin; step < end; ++step) {
        sum += number_at(by, slot_of(ring, step), lane);
    }
    return sum;
}

void Keeper::take_episode(const Storage& ring, std::uint32_t lane, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t appended = ring.view().appended;
    const std::uint64_t length = end - begin;
    memory_.seen += length;
    if (length > capacity() || appended - begin > ring.view().count[lane]) {
        return;
    }
    const double score = score_of(ring, lane, begin, end);
    if (!make_room(score, static_cast<std::uint32_t>(length))) {
        return;
    }
    for (std::uint64_t step = begin; step < end; ++step) {
        std::uint32_t to = memory_.used;
        if (free_.empty()) {
            ++memory_.used;
        } else {
            to = free_.back();
            free_.pop_back();
        }
        const std::uint32_t from = slot_of(ring, step);
        copy_row(ring, from, lane, to);
        const std::size_t at = std::size_t{from} * ring.lanes() + lane;
        terminated_[memory_.order.size()] = ring.flags().terminated[at];
        truncated_[memory_.order.size()] = ring.flags().truncated[at];
        memory_.order.push_back(to);
    }
    memory_.episodes.push_back({.score = score, .length = static_cast<std::uint32_t>(length)});
}

// Drops the worst episodes until the new one has room, the oldest first if several are equally bad. Drops nothing, and
// returns false, if this would take an episode that is at least as good as the new one.
bool Keeper::make_room(double score, std::uint32_t length) {
    std::uint64_t room = capacity() - memory_.order.size();
    if (room >= length) {
        return true;
    }
    const std::vector<Episode>& episodes = memory_.episodes;
    worst_.clear();
    for (std::uint32_t i = 0; i < episodes.size(); ++i) {
        if (episodes[i].score < score) {
            worst_.push_back(i);
        }
    }
    const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
        return episodes[a].score != episodes[b].score ? episodes[a].score > episodes[b].score : a > b;
    };
    std::ranges::make_heap(worst_, is_better);
    goes_.assign(episodes.size(), 0);
    while (room < length) {
        if (worst_.empty()) {
            return false;
        }
        std::ranges::pop_heap(worst_, is_better);
        goes_[worst_.back()] = 1;
        room += episodes[worst_.back()].length;
        worst_.pop_back();
    }
    drop_marked();
    return true;
}

void Keeper::drop_marked() {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < memory_.episodes.size(); ++i) {
        const Episode episode = memory_.episodes[i];
        for (std::uint32_t step = 0; step < episode.length; ++step, ++from) {
            if (goes_[i] != 0) {
                free_.push_back(memory_.order[from]);
                continue;
            }
            memory_.order[to] = memory_.order[from];
            terminated_[to] = terminated_[from];
            truncated_[to] = truncated_[from];
            ++to;
        }
        if (goes_[i] == 0) {
            memory_.episodes[kept++] = episode;
        }
    }
    memory_.order.resize(to);
    memory_.episodes.resize(kept);
}

}  // namespace tenon
