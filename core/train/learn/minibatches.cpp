// SPDX-License-Identifier: Apache-2.0
#include "train/learn/minibatches.hpp"

#include <algorithm>
#include <array>
#include <numeric>
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
      lane_count_(lanes) {
    order_.reserve(std::size_t{per_lane_} * lanes);
    slots_.resize(units_ * length_);
    lanes_.resize(units_ * length_);
}

void Minibatches::begin_shuffle(std::uint64_t counter) {
    constexpr std::size_t kWorthThread = 65'536;
    const std::size_t units = std::size_t{per_lane_} * lane_count_;
    if (units < kWorthThread || (ahead_.valid() && begun_ == counter)) {
        return;
    }
    begun_ = counter;
    ahead_ = std::async(std::launch::async, [units, key = key_, counter] {
        std::vector<std::uint32_t> order(units);
        std::iota(order.begin(), order.end(), 0U);
        permute(order, key, counter);
        return order;
    });
}

void Minibatches::shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter) {
    const auto is_full = [&](std::uint32_t length) { return length / length_ == per_lane_; };
    if (ahead_.valid() && begun_ == counter && std::ranges::all_of(lengths, is_full) &&
        std::ranges::count(storage.parked(), 0) == std::ssize(storage.parked())) {
        order_ = ahead_.get();
        return;
    }
    order_.clear();
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::uint32_t units = storage.parked()[lane] == 0 ? lengths[lane] / length_ : 0;
        for (std::uint32_t place = 0; place < units; ++place) {
            order_.push_back(lane * per_lane_ + place);
        }
    }
    permute(order_, key_, counter);
}

Minibatch Minibatches::at(std::size_t number) {
    const std::size_t first = number * units_;
    const std::size_t count = std::min(units_, order_.size() - first);
    for (std::uint32_t t = 0; t < length_; ++t) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t unit = order_[first + i];
            slots_[t * count + i] = unit % per_lane_ * length_ + t;
            lanes_[t * count + i] = unit / per_lane_;
        }
    }
    slot_arrays_ = slots_.data();
    lane_arrays_ = lanes_.data();
    const auto size = static_cast<std::int64_t>(count);
    return {.rows = {.slots = &slot_arrays_, .lanes = &lane_arrays_, .columns = nullptr},
            .sizes = sequences_ ? Sizes{.rows = 0, .time = length_, .lanes = size}
                                : Sizes{.rows = size, .time = 0, .lanes = 0}};
}

}  // namespace tenon
