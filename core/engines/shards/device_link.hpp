// SPDX-License-Identifier: Apache-2.0
// A link between devices of several processes, which sums gradients on the devices' own streams. The engine of devices
// implements this interface (DeviceEngine::links), and a group opens the link when its processes have met.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon {

class Group;

class DeviceLink {
public:
    virtual ~DeviceLink() = default;
    // Ends what is still enqueued, because this process fails. The destructor waits for the other processes instead.
    virtual void abort() = 0;
};

struct DeviceMeeting {
    std::size_t rank = 0;
    std::size_t count = 1;
    std::string id;                                           // of DeviceLinks::new_id, the same in all processes
    bool exact = true;                                        // sums have the order of the host's, whatever the link
    std::chrono::milliseconds limit = std::chrono::hours(1);  // of every wait
    // Asked while this process waits: the problem of a process that is gone.
    std::function<Status()> check = {};
};

struct DeviceLinks {
    // What carries gradients between GPUs: "NCCL 2.32.3". The problem: this machine has none, and what brings it.
    Result<std::string> (*find)();
    // A text that is the same in processes that share the device, which cannot be linked. The problem: what is missing.
    Result<std::string> (*place)(const Device& device);
    Result<std::string> (*new_id)(const Device& device);
    // Waits until all processes have come.
    Result<std::shared_ptr<DeviceLink>> (*open)(const std::shared_ptr<Device>& device, const DeviceMeeting& meeting);
};

// Links the devices of the group, if all can be linked. Returns why not, otherwise an empty text: the same in all
// processes, which must call it together.
Result<std::string> link_devices(Group& group, const std::shared_ptr<Device>& device, bool exact);

}  // namespace tenon
