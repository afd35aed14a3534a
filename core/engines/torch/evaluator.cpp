// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/evaluator.hpp"

#include <ATen/ops/scalar_tensor.h>

#include <algorithm>

#include "compute/exec/rows.hpp"
#include "compute/graph/dependence.hpp"
#include "engines/torch/align.hpp"

namespace tenon::reference {

using graph::Dim;
using graph::NodeId;
using graph::ValueId;

Evaluator::Evaluator(const graph::Graph& graph, DType real, std::uint64_t seed, std::vector<Port> inputs,
                     const Learner& learner, at::Device place)
    : graph_(graph),
      dtype_(real),
      real_(scalar_type(real)),
      seed_(seed),
      inputs_(std::move(inputs)),
      learner_(learner),
      place_(place) {
    steps_.resize(graph_.nodes.size());
    values_.resize(graph_.values.size());
    persists_.resize(graph_.values.size(), false);
    bodies_.resize(graph_.regions.size());
    watched_.resize(graph_.regions.size());
}

Status Evaluator::add(NodeId node) {
    if (graph_.nodes[node].output_count == 0) {
        return {};
    }
    Step made = TENON_TRY(make_step({graph_, dtype_, seed_, inputs_}, node));
    Step& step = steps_[node] = std::move(made);
    const graph::Node& of = graph_.nodes[node];
    const bool constants = std::ranges::all_of(of.inputs, [&](ValueId input) { return persists_[input]; });
    if (step.source == Source::kConstant) {
        const bool real = of.is(graph::OpId::kConstant_1);
        values_[step.out] =
            real ? scalar(graph::float_attribute(of, "value"))
                 : at::scalar_tensor(graph::int_attribute(of, "value"), at::TensorOptions(at::kLong).device(place_));
        persists_[step.out] = true;
    } else if (step.folds && constants && !of.inputs.empty()) {
        values_[step.out] = run_kernel(step);
        persists_[step.out] = true;
        step.source = Source::kConstant;
    }
    if (step.source == Source::kSteps) {
        watched_[step.index].push_back(node);
    }
    if (const std::uint32_t region = graph::scan_of(graph_, of.region);
        region != 0 && step.source != Source::kArgument) {
        bodies_[region].push_back(node);
    }
    return {};
}

Status Evaluator::add_all(const std::vector<bool>& needed) {
    for (NodeId node = 1; node < needed.size(); ++node) {
        if (needed[node]) {
            TENON_TRY(add(node));
        }
    }
    return {};
}

std::int64_t Evaluator::size_of_dim(Dim dim, const Sizes& sizes) const {
    return size_of(dim, graph_, learner_, sizes);
}

std::vector<std::int64_t> Evaluator::shape(const graph::Type& type, const Sizes& sizes) const {
    std::vector<std::int64_t> out;
    out.reserve(type.dims.size());
    for (const Dim dim : type.dims) {
        out.push_back(size_of_dim(dim, sizes));
    }
    return out;
}

at::Tensor Evaluator::scalar(double value) const {
    return at::scalar_tensor(value, at::TensorOptions(real_).device(place_));
}

at::Tensor Evaluator::number(NumberOf of, std::size_t index, const Call& call) const {
    if (given_ == nullptr) {
        return scalar(of(call, index));
    }
    const auto fill = [of, index]<class Real>(const Call& now, std::byte* to) {
        *reinterpret_cast<Real*>(to) = static_cast<Real>(of(now, index));
    };
    const bool is_double = real_ == at::kDouble;
    return given_->next(
        {}, real_,
        [fill, is_double](const Call& now, std::byte* to) {
            is_double ? fill.template operator()<double>(now, to) : fill.template operator()<float>(now, to);
        },
        call);
}

at::Tensor Evaluator::run_kernel(const Step& step) {
    c10::SmallVector<at::Tensor, 4> inputs;
    for (const Operand& operand : step.operands) {
        const at::Tensor& value = values_[operand.value];
        inputs.push_back(operand.convert ? value.to(operand.want) : value);
        if (!operand.gaps.empty()) {
            inputs.back() = fill_gaps(inputs.back(), operand.gaps);
        }
    }
    at::Tensor out = step.kernel(step.frame, inputs);
    return out.scalar_type() == step.frame.out_type ? out : out.to(step.frame.out_type);
}

void Evaluator::compute(NodeId node, const Call& call) {
    const Step& step = steps_[node];
    current_ = node;
    at::Tensor& out = values_[step.out];
    switch (step.source) {
        case Source::kKernel:
            out = run_kernel(step);
            break;
        case Source::kColumn:
            out = read_port(step.index, step.frame.out, call);
            break;
        case Source::kLive:
            out = number([](const Call& now, std::size_t index) { return now.numbers.live[index]; }, step.index, call);
            break;
        case Source::kFrames:
            out = number([](const Call& now, std::size_t) { return now.numbers.frames; }, 0, call);
            break;
        case Source::kUpdates:
            out = number([](const Call& now, std::size_t) { return now.numbers.updates; }, 0, call);
            break;
        case Source::kProgress:
            out = number([](const Call& now, std::size_t) { return now.numbers.progress; }, 0, call);
            break;
        case Source::kUniform:
        case Source::kNormal:
            out = draw(step, step.frame.out, call);
            break;
        case Source::kScan:
            scan(step, call);
            break;
        case Source::kFused:
            fused(step);
            break;
        case Source::kLeaf:
        case Source::kConstant:
        case Source::kArgument:
        case Source::kSteps:
            break;
    }
}

}  // namespace tenon::reference
