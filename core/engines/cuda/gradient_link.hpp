// SPDX-License-Identifier: Apache-2.0
// Sums of gradients on a device over the devices of other processes: NCCL sends and receives on the device's stream,
// and kernels add in the order in which processes add on the host (engines/shards/group.hpp). So the bits are the same,
// and the host waits for nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/device/block.hpp"
#include "engines/cuda/nccl.hpp"
#include "engines/cuda/queue.hpp"
#include "engines/shards/device_link.hpp"

namespace tenon::compiled::device {

extern const DeviceLinks kDeviceLinks;

class GradientLink final : public DeviceLink {
public:
    using Parts = std::vector<std::span<float>>;  // in the device's memory

    static Result<std::shared_ptr<DeviceLink>> open(const std::shared_ptr<Device>& device,
                                                    const DeviceMeeting& meeting);
    GradientLink(std::shared_ptr<Device> device, nccl::Functions functions, const DeviceMeeting& meeting)
        : device_(std::move(device)), nccl_(functions), meeting_(meeting) {}
    GradientLink(const GradientLink&) = delete;
    GradientLink& operator=(const GradientLink&) = delete;
    ~GradientLink() override;

    void abort() override;

    // Enqueues it after the works that the queue has, and before later ones. The other processes must have as many
    // numbers.
    Status sum(const Parts& gradients, Queue& queue);

private:
    // The additions of what was received to some parts.
    struct Adding {
        Parts to;
        Block items;
        CopyWork work;
    };

    Status meet();
    // Waits until a call, which has returned this code, is through.
    Status finish(nccl::Code code);
    // The problem that ends a wait for other processes. What was enqueued is then aborted.
    Status check(std::chrono::steady_clock::duration waited);
    Status fail(nccl::Code code);
    Status sum_by_halves(const Parts& gradients, Queue& queue);
    Status reduce(const Parts& gradients);
    // Sends, and receives to other parts, both at once.
    Status exchange(std::size_t peer, const Parts& sends, const Parts& receives, Queue& queue);
    // Sends, and adds what it receives to other parts.
    Status take(std::size_t peer, const Parts& sends, const Parts& adds, Queue& queue);
    Status add(const Parts& to, Queue& queue);
    Result<Adding> adding(const Parts& to, Queue& queue) const;
    void forget(Queue& queue);

    std::shared_ptr<Device> device_;
    nccl::Functions nccl_;
    DeviceMeeting meeting_;
    nccl::Comm comm_ = nullptr;
    Block received_;
    std::vector<Adding> known_;
};

}  // namespace tenon::compiled::device
