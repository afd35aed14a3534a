// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/fused.hpp"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "compute/exec/fused_call.hpp"
#include "compute/graph/text.hpp"
#include "engines/torch/align.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {
namespace {

using graph::Dim;
using graph::Kind;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::vector<std::int64_t> sizes_of(const at::Tensor& tensor) {
    return {tensor.sizes().begin(), tensor.sizes().end()};
}

// Connects the kernel with autograd. The node outlives every backward pass.
struct Bridge : torch::autograd::Function<Bridge> {
    static variable_list forward(AutogradContext* ctx, const Fused* fused, at::TensorList in) {
        const variable_list inputs = in.vec();
        variable_list outputs = fused->forward(inputs);
        variable_list saved = inputs;
        saved.insert(saved.end(), outputs.begin(), outputs.end());
        ctx->save_for_backward(saved);
        ctx->saved_data["fused"] = reinterpret_cast<std::int64_t>(fused);
        ctx->saved_data["inputs"] = static_cast<std::int64_t>(inputs.size());
        ctx->set_materialize_grads(false);
        return outputs;
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
        const auto* fused = reinterpret_cast<const Fused*>(ctx->saved_data["fused"].toInt());
        const auto count = ctx->saved_data["inputs"].toInt();
        const variable_list saved = ctx->get_saved_variables();
        const variable_list in(saved.begin(), saved.begin() + count);
        const variable_list out(saved.begin() + count, saved.end());
        std::vector<bool> wanted;
        for (const at::Tensor& each : in) {
            wanted.push_back(each.requires_grad());
        }
        variable_list result{at::Tensor()};  // gradient of the pointer argument
        for (at::Tensor& gradient : fused->backward(in, out, gradients, wanted)) {
            result.push_back(std::move(gradient));
        }
        return result;
    }
};

}  // namespace

Fused::Fused(const graph::Graph& graph, graph::NodeId id, at::ScalarType real)
    : kernel_(graph::kernel_of(graph, graph.nodes[id])),
      place_(graph::place_of(graph, graph.nodes[id].source)),
      real_(real),
      leading_(graph::leading_of_fused(graph, graph.nodes[id])),
      is_gradient_(graph.nodes[id].is(graph::OpId::kFusedGradient_1)) {
    const graph::Node& node = graph.nodes[id];
    const std::size_t inputs = kernel_.what->in_count;
    for (std::size_t i = 0; i < inputs; ++i) {
        in_.push_back(graph.type(node.inputs[i]));
    }
    for (std::uint32_t i = 0; i < kernel_.what->out_count; ++i) {
        out_.push_back(is_gradient_ ? graph.type(node.inputs[inputs + i]) : graph.type(node.first_output + i));
    }
    if (is_gradient_) {
        flowing_ = graph::ints_attribute(node, "flowing");
        wanted_ = graph::ints_attribute(node, "wanted");
    }
}

// Broadcasts inputs with leading dimensions to all leading dimensions.
std::vector<at::Tensor> Fused::aligned(std::vector<at::Tensor> inputs) const {
    std::vector<std::int64_t> leading(leading_.size(), 1);
    for (std::size_t i = 0; i < in_.size(); ++i) {
        for (std::size_t d = 0; d < leading_.size(); ++d) {
            if (in_[i].has(leading_[d])) {
                leading[d] = inputs[i].size(position_of(in_[i], leading_[d]));
            }
        }
    }
    for (std::size_t i = 0; i < in_.size(); ++i) {
        if (in_[i].symbol_count() == 0) {
            continue;
        }
        const at::Tensor filled = among(in_[i], inputs[i], leading_);
        std::vector<std::int64_t> shape = leading;
        for (const Dim size : in_[i].sizes()) {
            shape.push_back(size);
        }
        inputs[i] = filled.expand(shape);
    }
    return inputs;
}

std::vector<at::Tensor> Fused::run(std::vector<at::Tensor> inputs) const {
    inputs = aligned(std::move(inputs));
    if (is_gradient_) {
        return gradient(inputs);
    }
    const bool differentiates =
        c10::GradMode::is_enabled() && kernel_.what->backward != nullptr &&
        std::ranges::any_of(inputs, [](const at::Tensor& each) { return each.requires_grad(); });
    return differentiates ? Bridge::apply(this, at::TensorList(inputs)) : forward(inputs);
}

namespace {

FusedShapes shapes_of(const std::vector<graph::Type>& in, const std::vector<graph::Type>& out,
                      const std::vector<Dim>& leading, const std::vector<at::Tensor>& inputs) {
    FusedShapes shapes;
    for (const Dim dim : leading) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (in[i].symbol_count() > 0) {  // it is aligned and has all of them
                const auto at = std::ranges::find(leading, dim) - leading.begin();
                shapes.leading.push_back(inputs[i].size(at));
                break;
            }
        }
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
        shapes.in.push_back({in[i].kind, sizes_of(inputs[i])});
    }
    for (const graph::Type& type : out) {
        FusedShape shape{.kind = Kind::kReal, .shape = {}};
        for (const Dim dim : type.dims) {
            const auto at = static_cast<std::size_t>(std::ranges::find(leading, dim) - leading.begin());
            shape.shape.push_back(dim < 0 ? shapes.leading[at] : dim);
        }
        shapes.out.push_back(std::move(shape));
    }
    return shapes;
}

void must(Status done) {
    if (!done) {
        throw FusedFailure(std::move(done).error());
    }
}

// Kernels read and write the host's memory.
at::Device place_among(const std::vector<at::Tensor>& in) {
    return in.empty() ? at::kCPU : in.front().device();
}

std::vector<at::Tensor> all_moved(std::vector<at::Tensor> tensors, at::Device place) {
    for (at::Tensor& each : tensors) {
        each = each.defined() ? moved(each, place) : each;
    }
    return tensors;
}

}  // namespace

std::vector<at::Tensor> Fused::forward(const std::vector<at::Tensor>& in) const {
    const FusedShapes shapes = shapes_of(in_, out_, leading_, in);
    FusedCall call(kernel_, shapes, real_ == at::kDouble ? DType::kF64 : DType::kF32, place_);
    std::vector<at::Tensor> dense;
    for (std::size_t i = 0; i < in.size(); ++i) {
        dense.push_back(in[i].to(at::kCPU).contiguous());
        call.set_in(i, dense.back().const_data_ptr());
    }
    std::vector<at::Tensor> out;
    for (std::size_t i = 0; i < out_.size(); ++i) {
        out.push_back(at::empty(shapes.out[i].shape, at::TensorOptions(real_)));
        call.set_out(i, out.back().mutable_data_ptr());
    }
    must(call.forward());
    return all_moved(std::move(out), place_among(in));
}

std::vector<at::Tensor> Fused::backward(const std::vector<at::Tensor>& in, const std::vector<at::Tensor>& out,
                                        const std::vector<at::Tensor>& out_gradient,
                                        const std::vector<bool>& wanted) const {
    FusedCall call(kernel_, shapes_of(in_, out_, leading_, in), real_ == at::kDouble ? DType::kF64 : DType::kF32,
                   place_);
    std::vector<at::Tensor> dense;
    const auto data = [&](const at::Tensor& tensor) {
        dense.push_back(tensor.to(at::kCPU).contiguous());
        return dense.back().const_data_ptr();
    };
    std::vector<at::Tensor> gradients(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        call.set_in(i, data(in[i]));
        if (wanted[i]) {
            gradients[i] = at::empty(in[i].sizes(), at::TensorOptions(real_));
            call.set_in_gradient(i, gradients[i].mutable_data_ptr());
        }
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        call.set_out(i, const_cast<void*>(data(out[i])));
        call.set_out_gradient(i, out_gradient[i].defined() ? data(out_gradient[i]) : nullptr);
    }
    must(call.backward());
    return all_moved(std::move(gradients), place_among(in));
}

// The node of a graph that contains its gradients as nodes.
std::vector<at::Tensor> Fused::gradient(const std::vector<at::Tensor>& inputs) const {
    const auto outputs = inputs.begin() + static_cast<std::ptrdiff_t>(in_.size());
    const auto flowing = outputs + static_cast<std::ptrdiff_t>(out_.size());
    std::vector<at::Tensor> out_gradient(out_.size());
    for (std::size_t i = 0; i < flowing_.size(); ++i) {
        out_gradient[static_cast<std::size_t>(flowing_[i])] = flowing[static_cast<std::ptrdiff_t>(i)];
    }
    std::vector<bool> wanted(in_.size(), false);
    for (const std::int64_t number : wanted_) {
        wanted[static_cast<std::size_t>(number)] = true;
    }
    const std::vector<at::Tensor> all = backward({inputs.begin(), outputs}, {outputs, flowing}, out_gradient, wanted);
    std::vector<at::Tensor> out;
    for (const std::int64_t number : wanted_) {
        out.push_back(all[static_cast<std::size_t>(number)]);
    }
    return out;
}

}  // namespace tenon::reference
