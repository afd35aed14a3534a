// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/index_faults.hpp"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/ne.h>

#include <algorithm>
#include <cstdint>

namespace tenon::reference {
namespace {

thread_local IndexFaults* faults = nullptr;  // the object that lives

}  // namespace

IndexFaults::IndexFaults() {
    faults = this;
}

IndexFaults::~IndexFaults() {
    faults = nullptr;
}

at::Tensor in_range(const at::Tensor& index, std::int64_t size) {
    if (faults == nullptr || index.numel() == 0) {
        return index;
    }
    at::Tensor nearest = index.clamp(0, std::max<std::int64_t>(size - 1, 0));
    faults->found.push_back(at::ne(nearest, index).any());
    return nearest;
}

at::Tensor checked(const at::Tensor& index, std::int64_t size) {
    if (faults != nullptr || index.numel() == 0) {
        return in_range(index, size);
    }
    const auto [least, most] = at::aminmax(index);
    TORCH_CHECK_INDEX(least.item<std::int64_t>() >= 0 && most.item<std::int64_t>() < size, "index out of range");
    return index;
}

}  // namespace tenon::reference
