// SPDX-License-Identifier: Apache-2.0
#include "base/device/block.hpp"

#include <string>

#include "base/device/own_kernels.hpp"

namespace tenon {

Result<Block> Block::make(std::shared_ptr<Device> device, std::size_t bytes, bool staged) {
    Block out;
    out.device_ = std::move(device);
    out.size_ = bytes;
    Device& on = *out.device_;
    void* memory = nullptr;
    TENON_TRY(told(on, on.table.alloc(on.table.ctx, bytes, &memory)));
    out.memory_ = static_cast<std::byte*>(memory);
    if (staged) {
        out.staged_ = static_cast<std::byte*>(on.pin(on.table.ctx, bytes));
        if (out.staged_ == nullptr) {
            return environment_problem(on.name + ": the host has no " + std::to_string(bytes) +
                                       " bytes of memory for copies");
        }
    }
    return out;
}

Block::~Block() {
    if (memory_ != nullptr) {
        device_->table.free(device_->table.ctx, memory_);
    }
    if (staged_ != nullptr) {
        device_->unpin(device_->table.ctx, staged_);
    }
}

Status Block::write(const void* from, std::size_t bytes) {
    return told(*device_, device_->table.write(device_->table.ctx, memory_, from, bytes));
}

Status Block::read(void* to, std::size_t bytes) const {
    return told(*device_, device_->table.read(device_->table.ctx, to, memory_, bytes));
}

}  // namespace tenon
