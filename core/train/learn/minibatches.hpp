// SPDX-License-Identifier: Apache-2.0
// Splits a collected batch into minibatches: every row once per epoch, in an order that depends only on the run's seed
// and a counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "compute/exec/program.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// Rows for one run of the update program: [rows], or sequences as [time][lane].
struct Minibatch {
    SampledRows rows;
    Sizes sizes;
};

class Minibatches {
public:
    // For batches of at most `steps` transitions per lane, which begin at slot 0 of the storage.
    Minibatches(const TrainTable& train, std::uint32_t steps, std::uint32_t lanes, std::uint64_t seed);

    // Begins an epoch over the first lengths[lane] transitions of each lane. Parked lanes are left out.
    void shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter);

    // Orders the units of full lanes in another thread, if that takes long. shuffle takes this order if it is the one
    // that is wanted.
    void begin_shuffle(std::uint64_t counter);

    // The last minibatch has the remainder.
    [[nodiscard]] std::size_t count() const { return (order_.size() + units_ - 1) / units_; }

    // Valid until the next call.
    [[nodiscard]] Minibatch at(std::size_t number);

private:
    tn_key key_;
    std::uint32_t length_;    // steps of a unit of the shuffle: a frame, a slice or a lane
    std::uint32_t per_lane_;  // maximal number of units in a lane
    std::size_t units_;       // units in a minibatch
    bool sequences_;          // whether minibatches have a time dimension
    std::uint32_t lane_count_;
    std::vector<std::uint32_t> order_;  // units: lane * per_lane_ + index in the lane
    std::uint64_t begun_ = 0;           // counter of the order that is being made
    std::future<std::vector<std::uint32_t>> ahead_;
    std::vector<std::uint32_t> slots_;  // of the minibatch's rows
    std::vector<std::uint32_t> lanes_;
    const std::uint32_t* slot_arrays_ = nullptr;
    const std::uint32_t* lane_arrays_ = nullptr;
};

}  // namespace tenon
