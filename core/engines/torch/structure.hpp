// SPDX-License-Identifier: Apache-2.0
// Kernels that take more than one call of libtorch.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

// `reduced`, or x itself if it has no rows: libtorch treats an empty list of dimensions as all dimensions.
at::Tensor over_rows(const Frame& k, const at::Tensor& x, at::Tensor reduced);
at::Tensor batch_std(const Frame& k, const at::Tensor& x);
at::Tensor batch_count(const Frame& k, const at::Tensor& x);
at::Tensor mean_rows(const Frame& k, const at::Tensor& x);
at::Tensor count_rows(const Frame& k, const at::Tensor& x);
at::Tensor least_members(const Frame& k, const at::Tensor& x, std::int64_t count);
at::Tensor spread(const Frame& k, const at::Tensor& x, std::int64_t n);
at::Tensor stack(const Frame& k, Inputs parts);
at::Tensor pick(const Frame& k, const at::Tensor& x, std::int64_t index);
at::Tensor collect(const Frame& k, const at::Tensor& x);
at::Tensor gather(const Frame& k, const at::Tensor& x, const at::Tensor& index);
at::Tensor concat(const Frame& k, Inputs parts, std::int64_t axis);
at::Tensor permute(const Frame& k, const at::Tensor& x, const std::vector<std::int64_t>& order);
at::Tensor reshape(const Frame& k, const at::Tensor& x, const std::vector<std::int64_t>& shape);
at::Tensor linear(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor at_time(const Frame& k, const at::Tensor& x, std::int64_t index);
at::Tensor scan_linear(const Frame& k, const at::Tensor& decay, const at::Tensor& x, std::int64_t reverse);

// Kernels for gradient graphs.
at::Tensor expand_like(const Frame& k, const at::Tensor& x, const at::Tensor& like);
at::Tensor sum_like(const Frame& k, const at::Tensor& x, const at::Tensor& like);
at::Tensor repeats(const Frame& k, const at::Tensor& x, const at::Tensor& of);
at::Tensor linear_weight(const Frame& k, const at::Tensor& g, const at::Tensor& x);
at::Tensor pad(const at::Tensor& x, std::int64_t start, std::int64_t width, std::int64_t axis);
at::Tensor place(const Frame& k, const at::Tensor& x, const at::Tensor& like, std::int64_t index);
at::Tensor uncollect(const Frame& k, const at::Tensor& x);
at::Tensor group(const Frame& k, const at::Tensor& x, std::int64_t axis);
at::Tensor ungroup(const Frame& k, const at::Tensor& x, std::int64_t axis);
at::Tensor shift_time(const Frame& k, const at::Tensor& x, std::int64_t by);
at::Tensor windows(const Frame& k, const at::Tensor& rows, const at::Tensor& before, std::int64_t window,
                   std::int64_t axis);
at::Tensor sum_windows(const Frame& k, const at::Tensor& x, std::int64_t axis);

}  // namespace tenon::reference
