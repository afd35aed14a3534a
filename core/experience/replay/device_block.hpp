// SPDX-License-Identifier: Apache-2.0
// A block of a device's memory with host memory for copies to and from it, and the error of a function that fails on
// it. Samplers and envs on a device are called through these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon {

struct DeviceBlock {
    std::uint64_t bytes = 0;
    void* memory = nullptr;
    std::byte* staged = nullptr;  // memory of the host for copies
    std::uint32_t stages = 1;     // how many copies of `bytes` bytes fit into it
    std::uint32_t used = 0;       // stages since the last wait
};

inline constexpr std::uint64_t kDeviceAligned = 256;

inline std::uint64_t aligned_on_device(std::uint64_t bytes) {
    return (bytes + kDeviceAligned - 1) / kDeviceAligned * kDeviceAligned;
}

// Sets the sentence for the status that is returned next.
void say(const std::string& sentence);

// Returns the status; if it is a failure, also keeps the device's sentence about it.
tn_status pass_on(Device& device, tn_status status);

// Turns a status of these functions into a problem with that sentence.
Status said(tn_status status);

// Allocates both memories. What the block had before is freed.
tn_status make_block(Device& device, DeviceBlock& block, std::uint64_t bytes, std::uint32_t stages = 1);
// How many stages are worth their memory, if copies of so many bytes are enqueued in sequence.
std::uint32_t stages_for(std::uint64_t bytes);
// Host memory for the next copy to the device. It waits if copies from all stages may still be running.
tn_status next_stage(Device& device, DeviceBlock& block, std::byte*& out);
void drop_block(Device& device, DeviceBlock& block);

}  // namespace tenon
