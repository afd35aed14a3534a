// SPDX-License-Identifier: Apache-2.0
// y[t] = x[t] + decay[t] y[t - 1]: one node per step if a gradient is needed, otherwise one loop.
#include "engines/torch/recurrence.hpp"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include "engines/torch/align.hpp"
#include "engines/torch/kernel.hpp"

namespace tenon::reference {
namespace {

at::Tensor without_gradient(const at::Tensor& decay, const at::Tensor& x, std::int64_t time, bool reverse) {
    const at::Tensor decays = decay.contiguous();
    const at::Tensor values = x.contiguous();
    at::Tensor y = at::empty(x.sizes(), x.options());
    const auto run = [&]<class Real>(Real* out) {
        simd::scan_linear(extents_of(y, time), decays.const_data_ptr<Real>(), values.const_data_ptr<Real>(), reverse,
                          out);
    };
    x.scalar_type() == at::kDouble ? run(y.data_ptr<double>()) : run(y.data_ptr<float>());
    return y;
}

}  // namespace

simd::Extents extents_of(const at::Tensor& dense, std::int64_t time) {
    const auto before = static_cast<std::size_t>(time);
    return {.outer = c10::multiply_integers(dense.sizes().slice(0, before)),
            .steps = dense.size(time),
            .inner = c10::multiply_integers(dense.sizes().slice(before + 1))};
}

at::Tensor scan_linear(const Frame& k, const at::Tensor& decay, const at::Tensor& x, std::int64_t reverse) {
    const auto both = at::broadcast_tensors({decay, x});
    const std::int64_t time = position_of(k.out, graph::kTime);
    const bool flows = c10::GradMode::is_enabled() && (decay.requires_grad() || x.requires_grad());
    if (!flows && x.is_cpu()) {
        return without_gradient(both[0], both[1], time, reverse != 0);
    }
    const std::vector<at::Tensor> decays = both[0].unbind(time);
    std::vector<at::Tensor> values = both[1].unbind(time);
    const std::size_t steps = values.size();
    for (std::size_t i = 1; i < steps; ++i) {
        const std::size_t now = reverse != 0 ? steps - 1 - i : i;
        const std::size_t before = reverse != 0 ? now + 1 : now - 1;
        values[now] = at::addcmul(values[now], decays[now], values[before]);
    }
    return at::stack(values, time);
}

}  // namespace tenon::reference
