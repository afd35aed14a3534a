// SPDX-License-Identifier: Apache-2.0
// The experience of lanes that step at different times (collector.kind = "pool"): a storage in which every lane has its
// own head. Lanes act and step on a desk, which is a storage of two slots: a step begins at slot 0 and ends, at any
// time, at slot 1. It is then copied to the lane's ring, and the lane acts at slot 0 again.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class LaneRings {
public:
    // A storage with the columns and lanes of the desk.
    explicit LaneRings(Storage rings) : rings_(std::move(rings)) {}
    static Result<Storage> make_desk(const Storage& rings);

    // The storage that samplers choose from. Its address may change until the rings have their final place.
    [[nodiscard]] Storage& storage() { return rings_; }
    [[nodiscard]] const Storage& storage() const { return rings_; }

    // Says that new episodes of these lanes have begun with the observations at slot 0 of the desk. Running ones end as
    // truncated.
    void begin(const Storage& desk, std::span<const std::uint32_t> lanes);
    // Copies the steps of these lanes, which have ended, to their rings. Allocates nothing.
    void take(Storage& desk, std::span<const std::uint32_t> lanes);

private:
    void copy_head(const Storage& desk, std::uint32_t slot, std::uint32_t lane);

    Storage rings_;
};

}  // namespace tenon
