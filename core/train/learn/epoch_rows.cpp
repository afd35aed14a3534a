// SPDX-License-Identifier: Apache-2.0
#include "train/learn/epoch_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/device/own_kernels.hpp"

namespace tenon {

EpochRows::~EpochRows() {
    if (device_ != nullptr) {
        drop_block(*device_, block_);
    }
}

Status EpochRows::put_on(std::shared_ptr<Device> device, std::int64_t epochs) {
    constexpr std::uint64_t kMemory = 64U << 20U;  // of the host
    device_ = std::move(device);
    const std::uint64_t bytes = 2 * rows_ * sizeof(std::uint32_t);
    const auto most = std::max<std::uint64_t>(kMemory / std::max<std::uint64_t>(bytes, 1), 2);
    const auto stages = static_cast<std::uint32_t>(std::min(most, static_cast<std::uint64_t>(epochs) + 1));
    return told(*device_, make_block(*device_, block_, bytes, stages));
}

Result<std::uint32_t*> EpochRows::next() {
    if (device_ == nullptr) {
        home_.resize(2 * rows_);
        return home_.data();
    }
    std::byte* out = nullptr;
    if (Status free = told(*device_, next_stage(*device_, block_, out)); !free) {
        return std::move(free).error();
    }
    return reinterpret_cast<std::uint32_t*>(out);
}

Status EpochRows::send(const std::uint32_t* written) {
    if (device_ == nullptr) {
        present_ = written;
        return {};
    }
    present_ = static_cast<const std::uint32_t*>(block_.memory);
    return told(*device_, device_->table.write(device_->table.ctx, block_.memory, written, block_.bytes));
}

}  // namespace tenon
