// SPDX-License-Identifier: Apache-2.0
// A pool of lanes that step by themselves (collector.kind = "pool"): those that are ready act, while others still make
// their step. The lanes act and step on a desk; what has been collected is in rings (lane_rings.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/source_pool/lane_rings.hpp"
#include "train/collect/frame_source.hpp"

namespace tenon {

class PoolSource final : public FrameSource {
public:
    // Acts when `least` lanes are ready; `batch`: steps of each lane in a whole batch, 0: there are no batches.
    static Result<std::unique_ptr<FrameSource>> make(Lanes lanes, Storage rings, std::uint32_t least,
                                                     std::uint32_t batch);

    Status reset(const std::uint64_t* seeds) override;
    // Waits until enough lanes are ready.
    Result<std::uint32_t> await(StopAsked stop) override;
    [[nodiscard]] std::span<const std::uint32_t> ready() const override;
    // Acts in the lanes that are ready and begins their steps, which complete frames later. Random numbers depend on
    // which lanes these are, too.
    Result<std::uint32_t> step(const Acting& now) override;
    [[nodiscard]] bool counts_frames() const override { return true; }

    // A lane that has made its steps of a batch waits for the others, and goes on when the next batch begins.
    Status begin_batch(bool anew) override;
    void record(BatchExtent& /*extent*/) const override {}
    [[nodiscard]] bool is_complete(const BatchExtent& /*extent*/) const override {
        return finished_.size() == site_.lanes.running();
    }
    void finish_batch(BatchExtent& extent) override;

    [[nodiscard]] Storage& experience() override { return rings_.storage(); }
    [[nodiscard]] const Storage& experience() const override { return rings_.storage(); }
    [[nodiscard]] std::string why_unsaved() const override;

private:
    PoolSource(LaneSite site, LaneRings rings, std::uint32_t least, std::uint32_t batch);
    [[nodiscard]] bool enough_ready() const;
    void take_arrived();

    LaneRings rings_;
    std::uint32_t least_;                  // lanes that are waited for
    std::uint32_t batch_;                  // steps of a lane; 0: there are no batches
    std::vector<std::uint32_t> ready_;     // in ascending order
    std::vector<std::uint32_t> finished_;  // they have made their steps of the batch
    Lanes::Arrived arrived_;
};

}  // namespace tenon
