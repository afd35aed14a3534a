// SPDX-License-Identifier: Apache-2.0
// Epochs of minibatches as lists of their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "train/learn/minibatches.hpp"

namespace tenon::test {

using Row = std::pair<std::uint32_t, std::uint32_t>;  // slot, lane

inline constexpr std::uint32_t kSteps = 6;
inline constexpr std::uint32_t kLanes = 5;

inline TrainTable table(std::int64_t minibatch, const char* shuffle, std::int64_t length = 0) {
    TrainTable out;
    out.minibatch = minibatch;
    out.shuffle = shuffle;
    if (length > 0) {
        out.slice_length = length;
    }
    return out;
}

inline Storage storage(std::uint32_t lanes = kLanes) {
    return *Storage::make({}, kSteps + 1, lanes);
}

inline std::vector<Row> rows_of(const Minibatch& batch) {
    const std::int64_t count = batch.sizes.rows > 0 ? batch.sizes.rows : batch.sizes.time * batch.sizes.lanes;
    const SampledOnDevice* const on_device = batch.rows.on_device;  // memory of the emulated device is the host's
    const std::uint32_t* const slots = on_device != nullptr ? on_device->slots : batch.rows.slots[0];
    const std::uint32_t* const lanes = on_device != nullptr ? on_device->lanes : batch.rows.lanes[0];
    std::vector<Row> out;
    for (std::int64_t i = 0; i < count; ++i) {
        out.emplace_back(slots[i], lanes[i]);
    }
    return out;
}

inline std::vector<std::vector<Row>> epoch(Minibatches& minibatches, const Storage& of, std::uint64_t counter) {
    REQUIRE(minibatches.shuffle(of, std::vector<std::uint32_t>(of.lanes(), kSteps), counter));
    std::vector<std::vector<Row>> out;
    for (std::size_t i = 0; i < minibatches.count(); ++i) {
        out.push_back(rows_of(minibatches.at(i)));
    }
    return out;
}

inline std::vector<Row> sorted(const std::vector<std::vector<Row>>& parts) {
    std::vector<Row> out;
    for (const auto& part : parts) {
        out.insert(out.end(), part.begin(), part.end());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace tenon::test
