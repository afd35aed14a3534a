// SPDX-License-Identifier: Apache-2.0
// Minibatches of frames that are on a device: one kernel gathers the chosen rows of all columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/cuda/frames/ring.hpp"
#include "experience/replay/device_gather.hpp"

namespace tenon::frames {

class Gather final : public DeviceGather {
public:
    // As DeviceRing::make_gather.
    static Result<std::unique_ptr<DeviceGather>> make(const Ring& ring, const SamplerPlan& sampler,
                                                      std::span<const std::string> keys, std::string_view reader,
                                                      std::uint32_t rows);
    ~Gather() override;

    [[nodiscard]] std::span<const Port> ports() const override { return ports_; }
    [[nodiscard]] std::span<void* const> columns() const override { return columns_; }
    Status gather(const SampledRows& sampled, std::uint32_t rows) override;
    Status gather_all(std::uint32_t rows) override;

private:
    Gather(const Ring& ring, std::uint32_t rows, std::uint32_t arrays) : ring_(ring), rows_(rows), arrays_(arrays) {}
    Status build(std::span<const GatherSource> sources);
    Status point_at_own(const SampledRows& sampled);
    Status launch(std::uint32_t rows, const std::uint32_t* slot, const std::uint32_t* lane, std::uint64_t stride);

    const Ring& ring_;
    std::uint32_t rows_;
    std::uint32_t arrays_;
    std::vector<Port> ports_;
    std::vector<void*> columns_;
    std::vector<TakenColumn> taken_;
    std::vector<std::size_t> own_;  // those of the sampler, among taken_
    std::byte* memory_ = nullptr;   // of the columns
    std::byte* table_ = nullptr;    // of taken_
    DeviceBlock chosen_;            // indices of the host
};

}  // namespace tenon::frames
