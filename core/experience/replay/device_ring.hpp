// SPDX-License-Identifier: Apache-2.0
// The columns of a storage on a device. Kernels copy the steps of the device's lanes to its rows, and minibatches are
// gathered from it (device_gather.hpp). One copy moves the rewards and ends of a round's steps to the host; the other
// rows are copied when something on the host reads them. The engine of devices makes them (DeviceEngine::make_ring).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/data/spec.hpp"
#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "tenon/abi/device.h"

namespace tenon {

// Where the lanes read or leave a column in a step: dense memory of the device, [lanes] and then the shape of a row.
struct DevicePlace {
    std::string key;
    DType dtype = DType::kF32;
    std::size_t row_bytes = 0;
    Role role = Role::kExtra;
    void* rows = nullptr;
    void* finals = nullptr;  // of an observation: the last one of an episode
};

// The lanes of an env on a device.
struct DeviceLanes {
    std::vector<DevicePlace> columns;
    const std::uint8_t* terminated = nullptr;
    const std::uint8_t* truncated = nullptr;
    std::string reward;  // the column that returns are sums of: one float
};

class DeviceGather;

class DeviceRing {
public:
    DeviceRing() = default;
    DeviceRing(const DeviceRing&) = delete;
    DeviceRing& operator=(const DeviceRing&) = delete;
    virtual ~DeviceRing() = default;

    [[nodiscard]] virtual const std::shared_ptr<Device>& device() const = 0;

    // Where a stored column of the present step is; null if the column is not stored and not the env's.
    [[nodiscard]] virtual void* present(std::string_view key) const = 0;
    // [slots][lanes] of a stored column.
    [[nodiscard]] virtual std::byte* rows(std::string_view key) const = 0;
    // Minibatches of at most `rows` rows, as those of GatherPlan::make. The ring must outlive them.
    [[nodiscard]] virtual Result<std::unique_ptr<DeviceGather>> make_gather(const SamplerPlan& sampler,
                                                                            std::span<const std::string> keys,
                                                                            std::string_view reader,
                                                                            std::uint32_t rows) const = 0;

    // Which kernels found a fault.
    enum class Source : std::uint8_t { kEnv, kKeeping, kActing, kSampling, kTaking, kCount };
    [[nodiscard]] virtual tn_fault* fault(Source source) const = 0;

    // Rows that the host has changed are copied to the device before the next step.
    virtual void changed_on_host() = 0;
    virtual Status take_newest() = 0;
    // Copies the host's row of a column at the head to the present step.
    virtual Status send_present(std::string_view key) = 0;

    // Call it after a step of the lanes and before the storage advances: enqueues the copy of the step to the slot's
    // rows.
    virtual Status keep() = 0;
    [[nodiscard]] virtual bool is_full() const = 0;
    // Waits for the steps that were kept since the last look. Says how many these are and which faults were found. The
    // host's storage then has the newest observations; show copies the rewards and ends.
    struct Looked {
        std::uint32_t steps = 0;
        std::span<const tn_fault> faults;
    };
    virtual Result<Looked> look() = 0;
    // Copies to the host the rewards and ends of step i of the last look, which began at `slot`.
    virtual void show(std::uint32_t step, std::uint32_t slot, std::span<double> rewards) const = 0;
    // The column and the lane of a fault of kKeeping.
    [[nodiscard]] virtual std::string place_of(const tn_fault& fault) const = 0;

    // Copies all rows to the host that it does not have.
    virtual Status fetch_to_host() = 0;
    // Call it before the storage rewinds.
    virtual Status rewind() = 0;
};

}  // namespace tenon
