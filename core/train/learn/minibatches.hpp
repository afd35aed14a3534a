// SPDX-License-Identifier: Apache-2.0
// Splits a collected batch into minibatches: every row once per epoch, in an order that depends only on the run's seed
// and a counter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "base/thread/companion.hpp"
#include "compute/exec/program.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/storage.hpp"
#include "train/learn/epoch_rows.hpp"

namespace tenon {

// Rows for one run of the update program: [rows], or sequences as [time][lane].
struct Minibatch {
    SampledRows rows;
    Sizes sizes;
};

class Minibatches {
public:
    // For batches of at most `steps` transitions per lane, which begin at slot 0 of the storage.
    Minibatches(const TrainTable& train, std::uint32_t steps, std::uint32_t lanes, std::uint64_t seed,
                std::string_view stream = "train/shuffle");
    Minibatches(const Minibatches&) = delete;
    Minibatches& operator=(const Minibatches&) = delete;
    ~Minibatches();

    // From now on minibatches are taken on the device, in so many epochs of each batch.
    Status put_on(std::shared_ptr<Device> device, std::int64_t epochs) {
        return rows_.put_on(std::move(device), epochs);
    }

    // Call it once for a batch, after the host has waited for its steps.
    void begin_batch();

    // Begins an epoch over the first lengths[lane] transitions of each lane. Parked lanes are left out.
    Status shuffle(const Storage& storage, std::span<const std::uint32_t> lengths, std::uint64_t counter);

    // Orders the units of full lanes in another thread, if this takes long and minibatches are taken on a device.
    // (Otherwise the processor is busy with learning.) shuffle takes this order if it has the right counter. Up to
    // kPrefetchedEpochs orders are made at the same time.
    Status begin_shuffle(std::uint64_t counter);

    // The last minibatch has the remainder.
    [[nodiscard]] std::size_t count() const { return (chosen_ + units_ - 1) / units_; }

    // Valid until the next call.
    [[nodiscard]] Minibatch at(std::size_t number);

private:
    using Order = std::vector<std::uint32_t>;  // units: lane * per_lane_ + index in the lane

    // An order that another thread makes.
    struct Prefetched {
        explicit Prefetched(const Minibatches& minibatches) : of(minibatches) {}
        const Minibatches& of;
        std::uint64_t counter = 0;
        std::uint32_t* rows = nullptr;  // null: none is being made
        Order order;
        Companion thread;
    };

    [[nodiscard]] Prefetched* prefetched_of(std::uint64_t counter) const;
    Prefetched* idle_prefetched();
    void cancel_prefetched();
    void order_full_lanes(Prefetched& prefetched) const;
    void lay_out(const Order& order, std::uint32_t* rows) const;

    tn_key key_;
    std::uint32_t length_;    // steps of a unit of the shuffle: a frame, a slice or a lane
    std::uint32_t per_lane_;  // maximal number of units in a lane
    std::size_t units_;       // units in a minibatch
    bool sequences_;          // whether minibatches have a time dimension
    std::uint32_t lane_count_;
    Order order_;
    std::size_t chosen_ = 0;                // units of the epoch
    EpochRows rows_;                        // by minibatch, [time][unit] of each
    const std::uint32_t* slots_ = nullptr;  // this and the next two: of a minibatch
    const std::uint32_t* lanes_ = nullptr;
    SampledOnDevice sampled_;
    std::array<std::unique_ptr<Prefetched>, kPrefetchedEpochs> prefetched_;
};

}  // namespace tenon
