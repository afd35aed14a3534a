// SPDX-License-Identifier: Apache-2.0
// Kernels for sorting along a dimension, and for gathering and scattering by indices.
#pragma once

#include <cstdint>

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

at::Tensor argsort(const at::Tensor& x, std::int64_t axis, std::int64_t descending);
at::Tensor take_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis);
at::Tensor cumsum(const at::Tensor& x, std::int64_t axis, std::int64_t reverse);
at::Tensor batch_quantile(const Frame& k, const at::Tensor& x, double q);
at::Tensor take(const Frame& k, const at::Tensor& table, const at::Tensor& index);
at::Tensor put_rows(const Frame& k, const at::Tensor& g, const at::Tensor& index);
at::Tensor put_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis,
                     std::int64_t size);
at::Tensor put(const Frame& k, const at::Tensor& x, const at::Tensor& index, const at::Tensor& row, std::int64_t axis);

}  // namespace tenon::reference
