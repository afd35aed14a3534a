// SPDX-License-Identifier: Apache-2.0
// Kernels on images, with any dimensions before [channels, height, width].
#pragma once

#include <cstdint>
#include <vector>

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

at::Tensor conv2d(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  std::int64_t stride, std::int64_t padding);
at::Tensor conv_transpose2d(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            std::int64_t stride, std::int64_t padding);
at::Tensor max_pool2d(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding);
at::Tensor patches(const at::Tensor& x, std::int64_t height, std::int64_t width, std::int64_t stride,
                   std::int64_t padding, double fill);
at::Tensor unpatch(const at::Tensor& x, const std::vector<std::int64_t>& image, std::int64_t height, std::int64_t width,
                   std::int64_t stride, std::int64_t padding);

}  // namespace tenon::reference
