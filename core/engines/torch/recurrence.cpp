// SPDX-License-Identifier: Apache-2.0
// Recurrences over time. y[t] = x[t] + decay[t] y[t - 1]: one node per step if a gradient is needed, otherwise one
// loop. Composites, such as GAE: one loop.
#include <ATen/ops/addcmul.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <vector>

#include "base/simd/estimators.hpp"
#include "compute/exec/composites.hpp"
#include "engines/torch/align.hpp"
#include "engines/torch/kernel.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {
namespace {

// The memory layout of a dense tensor along one of its dimensions.
simd::Extents extents_of(const at::Tensor& dense, std::int64_t time) {
    const auto before = static_cast<std::size_t>(time);
    return {.outer = c10::multiply_integers(dense.sizes().slice(0, before)),
            .steps = dense.size(time),
            .inner = c10::multiply_integers(dense.sizes().slice(before + 1))};
}

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

at::Tensor composite(const Frame& k, Inputs in) {
    const KnownComposite& known = *find_composite(k.attributes[0].text, k.attributes[1].integer);
    std::vector<at::Tensor> dense;
    std::vector<const void*> inputs;
    for (const at::Tensor& input : in) {
        dense.push_back(input.to(at::kCPU).contiguous());
        inputs.push_back(dense.back().const_data_ptr());
    }
    at::Tensor out = at::empty(in[0].sizes(), in[0].options().device(at::kCPU));
    const simd::Extents extents = extents_of(out, position_of(k.out, graph::kTime));
    if (k.real == at::kDouble) {
        run(known, extents, inputs, out.data_ptr<double>());
    } else {
        run(known, extents, inputs, out.data_ptr<float>());
    }
    return moved(out, in[0].device());
}

}  // namespace tenon::reference
