// SPDX-License-Identifier: Apache-2.0
#include "train/loop/hook_network.hpp"

#include <cstddef>

namespace tenon {
namespace {

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        out[i - 1] = out[i] * shape[i];
    }
    return out;
}

}  // namespace

HookNetworkView::HookNetworkView(const Network& network, DType real) {
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            std::vector<std::int64_t>& shape = shapes_.emplace_back(parameter.shape);
            if (network.layout.ensemble) {
                shape.insert(shape.begin(), network.layout.members);
            }
            strides_.push_back(dense_strides(shape));
        }
    }
    fill(parameters_, network, network.live, real);
    fill(gradients_, network, network.gradient, real);
    view_ = {.struct_size = sizeof view_,
             .parameter_count = static_cast<std::uint32_t>(parameters_.columns.size()),
             .parameters = parameters_.pointers.data(),
             .gradients = gradients_.pointers.data()};
}

void HookNetworkView::fill(List& list, const Network& network, const Slab& slab, DType real) {
    for (const Parameter& parameter : network.layout.parameters) {
        if (!parameter.trainable) {
            continue;
        }
        const std::size_t number = list.columns.size();
        list.columns.push_back(
            {.struct_size = sizeof(tn_column),
             .flags = 0,
             .key = {parameter.name.data(), parameter.name.size()},
             .tensor = {.struct_size = sizeof(tn_tensor),
                        .dtype = static_cast<std::int32_t>(real),
                        .data = const_cast<std::byte*>(slab.as<std::byte>()) + parameter.offset * size_of(real),
                        .rank = static_cast<std::uint32_t>(shapes_[number].size()),
                        .device_type = TN_DEVICE_CPU,
                        .device_id = 0,
                        .reserved = 0,
                        .shape = shapes_[number].data(),
                        .strides = strides_[number].data()}});
    }
    for (const tn_column& column : list.columns) {
        list.pointers.push_back(&column);
    }
}

}  // namespace tenon
