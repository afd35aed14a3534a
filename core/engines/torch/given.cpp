// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/given.hpp"

#include <ATen/ops/empty.h>

#include <utility>

#include "engines/torch/placement.hpp"

namespace tenon::reference {
namespace {

constexpr std::size_t kAligned = 64;

}  // namespace

void Given::lay_out() {
    const auto bytes = static_cast<std::int64_t>(end_);
    const at::TensorOptions options(at::kByte);
    staged_ = at::empty({bytes}, options.pinned_memory(!place_.is_cpu()));
    block_ = at::empty({bytes}, options.device(place_));
    for (const Item& item : items_) {
        views_.push_back(
            item.bytes == 0
                ? at::empty(item.shape, at::TensorOptions(item.type).device(place_))
                : block_.narrow(0, static_cast<std::int64_t>(item.at), static_cast<std::int64_t>(item.bytes))
                      .view(item.type)
                      .view(item.shape));
    }
}

// The host waits for the results of each call, so the copy of the previous call is finished.
void Given::begin(const Call& call) {
    asked_ = 0;
    if (!is_noted_) {  // the previous call was the first one and failed, or there was none
        items_.clear();
        end_ = 0;
        return;
    }
    if (views_.empty()) {
        lay_out();
    }
    auto* const to = reinterpret_cast<std::byte*>(staged_.mutable_data_ptr<std::uint8_t>());
    for (const Item& item : items_) {
        item.fill(call, to + item.at);
    }
    block_.copy_(staged_, /*non_blocking=*/true);
}

at::Tensor Given::next(std::vector<std::int64_t> shape, at::ScalarType type, Fill fill, const Call& call) {
    if (is_noted_) {
        return views_[asked_++];
    }
    const at::Tensor values = at::empty(shape, at::TensorOptions(type));
    fill(call, static_cast<std::byte*>(values.mutable_data_ptr()));
    items_.push_back({std::move(shape), type, std::move(fill), end_, values.nbytes()});
    end_ += (values.nbytes() + kAligned - 1) / kAligned * kAligned;
    return moved(values, place_);
}

}  // namespace tenon::reference
