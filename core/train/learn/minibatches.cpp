// SPDX-License-Identifier: Apache-2.0
#include "train/learn/minibatches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/random/key.hpp"
#include "base/simd/blocks.hpp"

namespace tenon {
namespace {

std::uint32_t unit_length(const TrainTable& train, std::uint32_t steps) {
    const std::string shuffle = train.shuffle.value_or("frames");
    if (shuffle == "lanes") {
        return steps;
    }
    return shuffle == "slices" ? static_cast<std::uint32_t>(train.slice_length.value_or(steps)) : 1;
}

// Fisher-Yates shuffle; each block of the stream serves four positions.
void permute(std::vector<std::uint32_t>& order, tn_key key, std::uint64_t counter) {
    constexpr std::size_t kAtOnce = 64;
    std::array<tn_random_block, kAtOnce / 4> blocks;
    for (std::size_t i = order.size(); i-- > 1;) {
        if (i % kAtOnce == kAtOnce - 1 || i + 1 == order.size()) {
            simd::random_blocks(key, counter << 32U | i / kAtOnce * blocks.size(), blocks.size(), blocks.data());
        }
        const std::uint32_t bits = blocks[i % kAtOnce / 4].word[i % 4];
        std::swap(order[i], order[tn_below(bits, static_cast<std::uint32_t>(i + 1))]);
    }
}

}  // namespace

Minibatches::Minibatches(const TrainTable& train, std::uint32_t steps, std::uint32_t lanes, std::uint64_t seed)
    : key_(make_key(seed, "train/shuffle")),
      length_(unit_length(train, steps)),
      per_lane_(steps / length_),
      units_(static_cast<std::size_t>(train.minibatch) / length_),
      sequences_(train.shuffle.value_or("frames") != "frames"),
      lane_count_(lanes),
      rows_(std::size_t{per_lane_} * length_ * lanes) {
    order_.reserve(std::size_t{per_lane_} * lanes);
}

Minibatches::~Minibatches() {
    give_up_ahead();
}

void Minibatches::begin_batch() {
    const auto is_made = [](const auto& ahead) { return ahead != nullptr && ahead->rows != nullptr; };
    rows_.copies_are_made(static_cast<std::uint32_t>(std::ranges::count_if(ahead_, is_made)));
}

Minibatches::Ahead* Minibatches::ahead_of(std::uint64_t counter) const {
    const auto is_it = [&](const auto& ahead) {
        return ahead != nullptr && ahead->rows != nullptr && ahead->counter == counter;
    };
    const auto found = std::ranges::find_if(ahead_, is_it);
    return found == ahead_.end() ? nullptr : found->get();
}

// Null: all are at work, or there is no memory for a thread. Then shuffle orders the units.
Minibatches::Ahead* Minibatches::idle_ahead() {
    const auto found =
        std::ranges::find_if(ahead_, [](const auto& ahead) { return ahead == nullptr || ahead->rows == nullptr; });
    if (found == ahead_.end()) {
        return nullptr;
    }
    try {
        if (*found == nullptr) {
            *found = std::make_unique<Ahead>(*this);
        }
    } catch (const std::system_error&) {
        return nullptr;
    }
    return found->get();
}

void Minibatches::give_up_ahead() {
    for (const std::unique_ptr<Ahead>& ahead : ahead_) {
        if (ahead != nullptr && ahead->rows != nullptr) {
            ahead->thread.wait();
            ahead->rows = nullptr;
        }
    }
}

Status Minibatches::begin_shuffle(std::uint64_t counter) {
    constexpr std::size_t kWorthThread = 65'536;
    if (!rows_.is_there() || std::size_t{per_lane_} * lane_count_ < kWorthThread || ahead_of(counter) != nullptr) {
        return {};
    }
    Ahead* const ahead = idle_ahead();
    if (ahead == nullptr) {
        return {};
    }
    Result<std::uint32_t*> rows = rows_.next();
    if (!rows) {
        return std::move(rows).error();
    }
    ahead->counter = counter;
    ahead->rows = *rows;
    const auto body = [](void* one) {
        auto& mine = *static_cast<Ahead*>(one);
        mine.of.order_full_lanes(mine);
    };
    ahead->thread.begin(body, ahead);
    return {};
}

void Minibatches::order_full_lanes(Ahead& ahead) const {
    ahead.order.resize(std::size_t{per_lane_} * lane_count_);
    std::iota(ahead.order.begin(), ahead.order.end(), 0U);
    permute(ahead.order, key_, ahead.counter);
    lay_out(ahead.order, ahead.rows);
}

Status Minibatches::shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter) {
    Ahead* const ahead = ahead_of(counter);
    const auto is_full = [full = per_lane_ * length_](std::uint32_t length) { return length >= full; };
    if (ahead != nullptr && std::ranges::all_of(lengths, is_full) &&
        std::ranges::count(storage.parked(), 0) == std::ssize(storage.parked())) {
        ahead->thread.wait();
        chosen_ = ahead->order.size();
        return rows_.send(std::exchange(ahead->rows, nullptr));
    }
    give_up_ahead();  // their counters are not those of the epochs to come
    Result<std::uint32_t*> rows = rows_.next();
    if (!rows) {
        return std::move(rows).error();
    }
    order_.clear();
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::uint32_t units = storage.parked()[lane] == 0 ? lengths[lane] / length_ : 0;
        for (std::uint32_t place = 0; place < units; ++place) {
            order_.push_back(lane * per_lane_ + place);
        }
    }
    permute(order_, key_, counter);
    lay_out(order_, *rows);
    chosen_ = order_.size();
    return rows_.send(*rows);
}

void Minibatches::lay_out(const Order& order, std::uint32_t* rows) const {
    std::uint32_t* slot = rows;
    std::uint32_t* lane = rows + rows_.capacity();
    const auto with = [&](const auto& lane_of) {
        for (std::size_t first = 0; first < order.size(); first += units_) {
            const std::size_t count = std::min(units_, order.size() - first);
            for (std::uint32_t t = 0; t < length_; ++t) {
                for (std::size_t i = 0; i < count; ++i) {
                    const std::uint32_t unit = order[first + i];
                    lane[i] = lane_of(unit);
                    slot[i] = (unit - lane[i] * per_lane_) * length_ + t;
                }
                slot += count;
                lane += count;
            }
        }
    };
    if (std::has_single_bit(per_lane_)) {  // a division takes many times as long
        with([shift = std::countr_zero(per_lane_)](std::uint32_t unit) { return unit >> shift; });
    } else {
        with([by = per_lane_](std::uint32_t unit) { return unit / by; });
    }
}

Minibatch Minibatches::at(std::size_t number) {
    const std::size_t first = number * units_;
    const std::size_t count = std::min(units_, chosen_ - first);
    slots_ = rows_.slots() + first * length_;
    lanes_ = rows_.lanes() + first * length_;
    Minibatch out;
    if (rows_.is_there()) {
        there_ = {.slots = slots_, .lanes = lanes_, .columns = nullptr, .stride = count * length_};
        out.rows.there = &there_;
    } else {
        out.rows.slots = &slots_;
        out.rows.lanes = &lanes_;
    }
    const auto size = static_cast<std::int64_t>(count);
    out.sizes =
        sequences_ ? Sizes{.rows = 0, .time = length_, .lanes = size} : Sizes{.rows = size, .time = 0, .lanes = 0};
    return out;
}

}  // namespace tenon
