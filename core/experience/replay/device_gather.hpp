// SPDX-License-Identifier: Apache-2.0
// Minibatches of frames that are on a device (device_ring.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "base/data/spec.hpp"
#include "base/error/result.hpp"
#include "experience/replay/gather.hpp"

namespace tenon {

class DeviceGather {
public:
    DeviceGather() = default;
    DeviceGather(const DeviceGather&) = delete;
    DeviceGather& operator=(const DeviceGather&) = delete;
    virtual ~DeviceGather() = default;

    [[nodiscard]] virtual std::span<const Port> ports() const = 0;
    // Memory of the device, one for each port.
    [[nodiscard]] virtual std::span<void* const> columns() const = 0;

    // Enqueues the rows that a sampler chose. Indices on the host are copied first.
    virtual Status gather(const SampledRows& sampled, std::uint32_t rows) = 0;
    // Enqueues the first transitions of all lanes: those of slot 0, of slot 1, ...
    virtual Status gather_all(std::uint32_t rows) = 0;
};

}  // namespace tenon
