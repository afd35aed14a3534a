// SPDX-License-Identifier: Apache-2.0
// Memory of a device with what is copied to or from it on the host, and the error of a function that fails on it.
// Samplers and envs on a device are called through these.
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
    std::byte* staged = nullptr;  // of the host
    std::uint32_t stages = 1;     // how often `bytes` of it
    std::uint32_t used = 0;       // stages since the last wait
};

inline constexpr std::uint64_t kDeviceAligned = 256;

inline std::uint64_t aligned_on_device(std::uint64_t bytes) {
    return (bytes + kDeviceAligned - 1) / kDeviceAligned * kDeviceAligned;
}

// The sentence that goes with the status that is returned next.
void say(const std::string& sentence);

// Passes on a status; if it is a failure, with the device's sentence if it has one.
tn_status pass_on(Device& device, tn_status status);

// A status of these functions as a problem with that sentence.
Status said(tn_status status);

// Allocates both memories. What the block had before is freed.
tn_status make_block(Device& device, DeviceBlock& block, std::uint64_t bytes, std::uint32_t stages = 1);
// How many stages are worth their memory, if copies of so many bytes are enqueued one after the other.
std::uint32_t stages_for(std::uint64_t bytes);
// Memory of the host for the next copy to the device. It waits if copies from all stages may be under way.
tn_status next_stage(Device& device, DeviceBlock& block, std::byte*& out);
void drop_block(Device& device, DeviceBlock& block);

}  // namespace tenon
