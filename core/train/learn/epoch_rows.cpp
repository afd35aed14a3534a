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
    const auto most = std::max<std::uint64_t>(kMemory / std::max<std::uint64_t>(bytes, 1), kPrefetchedEpochs + 1);
    const auto stages =
        static_cast<std::uint32_t>(std::min(most, static_cast<std::uint64_t>(epochs) + kPrefetchedEpochs));
    return said(make_block(*device_, block_, bytes, stages));
}

Result<std::uint32_t*> EpochRows::next() {
    if (device_ == nullptr) {
        host_.resize(2 * rows_);
        return host_.data();
    }
    if (under_way_ == block_.stages) {
        std::byte first{};
        TENON_TRY(told(*device_, device_->table.read(device_->table.ctx, &first, block_.memory, 1)));
        under_way_ = 0;
    }
    ++under_way_;
    return reinterpret_cast<std::uint32_t*>(block_.staged + given_++ % block_.stages * block_.bytes);
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
