// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/kernel.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/simd/tanh.hpp"

namespace tenon::reference {
namespace {

at::Tensor value_of(const at::Tensor& x) {
    const at::Tensor dense = x.contiguous();
    at::Tensor y = at::empty(dense.sizes(), dense.options());
    const auto run = [&]<class Real>(Real* out) {
        simd::tanh(dense.const_data_ptr<Real>(), out, static_cast<std::size_t>(y.numel()));
    };
    x.scalar_type() == at::kDouble ? run(y.data_ptr<double>()) : run(y.data_ptr<float>());
    return y;
}

// 1 - y^2, for which the value suffices.
struct Tanh : torch::autograd::Function<Tanh> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
        at::Tensor y = value_of(x);
        context->save_for_backward({y});
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        return {at::tanh_backward(gradients[0], context->get_saved_variables()[0])};
    }
};

}  // namespace

at::Tensor vector_tanh(const at::Tensor& x) {
    if (!x.is_cpu()) {
        return at::tanh(x);
    }
    return c10::GradMode::is_enabled() && x.requires_grad() ? Tanh::apply(x) : value_of(x);
}

}  // namespace tenon::reference
