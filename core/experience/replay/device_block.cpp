// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/device_block.hpp"

#include <algorithm>
#include <utility>

#include "plugins/plugin/error_text.hpp"

namespace tenon {

void say(const std::string& sentence) {
    keep_error({sentence.data(), sentence.size()});
}

tn_status pass_on(Device& device, tn_status status) {
    if (status != TN_OK && !device.error.empty()) {
        say(std::exchange(device.error, {}));
    }
    return status;
}

Status said(tn_status status) {
    return status == TN_OK ? Status() : Status(environment_problem(take_error()));
}

tn_status make_block(Device& device, DeviceBlock& block, std::uint64_t bytes, std::uint32_t stages) {
    drop_block(device, block);
    const tn_device& table = device.table;
    if (const tn_status made = table.alloc(table.ctx, bytes, &block.memory); made != TN_OK) {
        return pass_on(device, made);
    }
    block.bytes = bytes;
    block.stages = stages;
    block.staged = static_cast<std::byte*>(device.pin(table.ctx, bytes * stages));
    if (block.staged == nullptr) {
        say(device.name + ": the host has no " + std::to_string(bytes * stages) + " bytes of memory for copies");
        return TN_OUT_OF_MEMORY;
    }
    return TN_OK;
}

std::uint32_t stages_for(std::uint64_t bytes) {
    constexpr std::uint64_t kMemory = 16U << 20U;
    constexpr std::uint64_t kMost = 64;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMemory / std::max<std::uint64_t>(bytes, 1), 2, kMost));
}

tn_status next_stage(Device& device, DeviceBlock& block, std::byte*& out) {
    if (block.used == block.stages) {
        std::byte first{};
        if (const tn_status waited = device.table.read(device.table.ctx, &first, block.memory, 1); waited != TN_OK) {
            return pass_on(device, waited);
        }
        block.used = 0;
    }
    out = block.staged + block.used++ * block.bytes;
    return TN_OK;
}

void drop_block(Device& device, DeviceBlock& block) {
    device.table.free(device.table.ctx, block.memory);
    device.unpin(device.table.ctx, block.staged);
    block = {};
}

}  // namespace tenon
