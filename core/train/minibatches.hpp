// SPDX-License-Identifier: Apache-2.0
// A collected batch dealt out to minibatches: every row once an epoch, in an order that is a function of the run's seed
// and a counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/program.hpp"
#include "manifest/manifest.hpp"
#include "replay/gather.hpp"
#include "replay/storage.hpp"

namespace tenon {

// Rows for one run of the update program: [rows], or sequences as [time][lane].
struct Minibatch {
    SampledRows rows;
    Sizes sizes;
};

class Minibatches {
public:
    // Of batches of `steps` transitions a lane at most, which begin at slot 0 of the storage.
    Minibatches(const TrainTable& train, std::uint32_t steps, std::uint32_t lanes, std::uint64_t seed);

    // Begins an epoch over the first lengths[lane] transitions of each lane. Lanes that have been given up are left
    // out.
    void shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter);

    // The last one has what is left over.
    [[nodiscard]] std::size_t count() const { return (order_.size() + units_ - 1) / units_; }

    // Good until the next call.
    [[nodiscard]] Minibatch at(std::size_t number);

private:
    tn_key key_;
    std::uint32_t length_;              // steps of a unit, which is what an epoch deals out: frames, slices, lanes
    std::uint32_t per_lane_;            // units in a lane, at most
    std::size_t units_;                 // units in a minibatch
    bool sequences_;                    // whether minibatches have a dimension of time
    std::vector<std::uint32_t> order_;  // units: lane * per_lane_ + place in it
    std::vector<std::uint32_t> slots_;  // of the minibatch's rows
    std::vector<std::uint32_t> lanes_;
    const std::uint32_t* slot_arrays_ = nullptr;
    const std::uint32_t* lane_arrays_ = nullptr;
};

}  // namespace tenon
