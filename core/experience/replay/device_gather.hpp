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

#include "experience/replay/device_ring.hpp"
#include "experience/replay/gather.hpp"

namespace tenon {

class DeviceGather {
public:
    // As GatherPlan::make, for at most `rows` rows. The ring must outlive it.
    static Result<std::unique_ptr<DeviceGather>> make(const Storage& storage, const DeviceRing& ring,
                                                      const SamplerPlan& sampler, std::span<const std::string> keys,
                                                      std::string_view reader, std::uint32_t rows);
    ~DeviceGather();
    DeviceGather(const DeviceGather&) = delete;
    DeviceGather& operator=(const DeviceGather&) = delete;

    [[nodiscard]] std::span<const Port> ports() const { return ports_; }
    // Memory of the device, one for each port.
    [[nodiscard]] std::span<void* const> columns() const { return columns_; }

    // Enqueues the rows that a sampler chose. Indices on the host are copied first.
    Status gather(const SampledRows& sampled, std::uint32_t rows);
    // Enqueues the first transitions of all lanes: those of slot 0, of slot 1, ...
    Status gather_all(std::uint32_t rows);

private:
    DeviceGather(const Storage& storage, const DeviceRing& ring, std::uint32_t rows, std::uint32_t arrays)
        : storage_(storage), ring_(ring), rows_(rows), arrays_(arrays) {}
    Status build(std::span<const GatherSource> sources);
    Status point_at_own(const SampledRows& sampled);
    Status launch(std::uint32_t rows, const std::uint32_t* slot, const std::uint32_t* lane, std::uint64_t stride);

    const Storage& storage_;
    const DeviceRing& ring_;
    std::uint32_t rows_;
    std::uint32_t arrays_;
    std::vector<Port> ports_;
    std::vector<void*> columns_;
    std::vector<frames::TakenColumn> taken_;
    std::vector<std::size_t> own_;  // those of the sampler, among taken_
    std::byte* memory_ = nullptr;   // of the columns
    std::byte* table_ = nullptr;    // of taken_
    DeviceBlock chosen_;            // indices of the host
};

}  // namespace tenon
