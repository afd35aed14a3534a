// SPDX-License-Identifier: Apache-2.0
#include "train/learn/minibatches.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <system_error>

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

Minibatches::Minibatches(const TrainTable& train, std::uint32_t steps, std::uint32_t lanes, std::uint64_t seed,
                         std::string_view stream)
    : key_(make_key(seed, stream)),
      length_(unit_length(train, steps)),
      per_lane_(steps / length_),
      units_(static_cast<std::size_t>(train.minibatch) / length_),
      sequences_(train.shuffle.value_or("frames") != "frames"),
      lane_count_(lanes),
      rows_(std::size_t{per_lane_} * length_ * lanes) {
    order_.reserve(std::size_t{per_lane_} * lanes);
}

Minibatches::~Minibatches() {
    cancel_prefetched();
}

void Minibatches::begin_batch() {
    const auto is_made = [](const auto& prefetched) { return prefetched != nullptr && prefetched->rows != nullptr; };
    rows_.copies_are_made(static_cast<std::uint32_t>(std::ranges::count_if(prefetched_, is_made)));
}

Minibatches::Prefetched* Minibatches::prefetched_of(std::uint64_t counter) const {
    const auto is_it = [&](const auto& prefetched) {
        return prefetched != nullptr && prefetched->rows != nullptr && prefetched->counter == counter;
    };
    const auto found = std::ranges::find_if(prefetched_, is_it);
    return found == prefetched_.end() ? nullptr : found->get();
}

// A thread that can order the units of another epoch. Null: all are busy, or there is no memory for one; shuffle then
// orders the units itself.
Minibatches::Prefetched* Minibatches::idle_prefetched() {
    const auto found = std::ranges::find_if(
        prefetched_, [](const auto& prefetched) { return prefetched == nullptr || prefetched->rows == nullptr; });
    if (found == prefetched_.end()) {
        return nullptr;
    }
    try {
        if (*found == nullptr) {
            *found = std::make_unique<Prefetched>(*this);
        }
    } catch (const std::system_error&) {
        return nullptr;
    }
    return found->get();
}

void Minibatches::cancel_prefetched() {
    for (const std::unique_ptr<Prefetched>& prefetched : prefetched_) {
        if (prefetched != nullptr && prefetched->rows != nullptr) {
            prefetched->thread.wait();
            prefetched->rows = nullptr;
        }
    }
}

Status Minibatches::begin_shuffle(std::uint64_t counter) {
    constexpr std::size_t kWorthThread = 65'536;
    if (!rows_.is_on_device() || std::size_t{per_lane_} * lane_count_ < kWorthThread ||
        prefetched_of(counter) != nullptr) {
        return {};
    }
    Prefetched* const prefetched = idle_prefetched();
    if (prefetched == nullptr) {
        return {};
    }
    std::uint32_t* rows = TENON_TRY(rows_.next());
    prefetched->counter = counter;
    prefetched->rows = rows;
    const auto body = [](void* one) {
        auto& mine = *static_cast<Prefetched*>(one);
        mine.of.order_full_lanes(mine);
    };
    prefetched->thread.begin(body, prefetched);
    return {};
}

void Minibatches::order_full_lanes(Prefetched& prefetched) const {
    prefetched.order.resize(std::size_t{per_lane_} * lane_count_);
    std::iota(prefetched.order.begin(), prefetched.order.end(), 0U);
    permute(prefetched.order, key_, prefetched.counter);
    lay_out(prefetched.order, prefetched.rows);
}

Status Minibatches::shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter) {
    Prefetched* const prefetched = prefetched_of(counter);
    const auto is_full = [full = per_lane_ * length_](std::uint32_t length) { return length >= full; };
    if (prefetched != nullptr && std::ranges::all_of(lengths, is_full) &&
        std::ranges::count(storage.parked(), 0) == std::ssize(storage.parked())) {
        prefetched->thread.wait();
        chosen_ = prefetched->order.size();
        return rows_.send(std::exchange(prefetched->rows, nullptr));
    }
    cancel_prefetched();  // their counters are not those of the next epochs
    std::uint32_t* rows = TENON_TRY(rows_.next());
    order_.clear();
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::uint32_t units = storage.parked()[lane] == 0 ? lengths[lane] / length_ : 0;
        for (std::uint32_t place = 0; place < units; ++place) {
            order_.push_back(lane * per_lane_ + place);
        }
    }
    permute(order_, key_, counter);
    lay_out(order_, rows);
    chosen_ = order_.size();
    return rows_.send(rows);
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
    if (std::has_single_bit(per_lane_)) {  // a division takes many times as long as a shift
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
    if (rows_.is_on_device()) {
        sampled_ = {.slots = slots_, .lanes = lanes_, .columns = nullptr, .stride = count * length_};
        out.rows.on_device = &sampled_;
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
