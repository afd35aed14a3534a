// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/diagnose.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "compute/exec/not_finite.hpp"

namespace tenon::reference {
namespace {

std::vector<ValueRange> input_ranges(Evaluator& evaluator, const graph::Node& node) {
    std::vector<ValueRange> out;
    for (const graph::ValueId input : node.inputs) {
        const at::Tensor value = evaluator.value(input).detach();
        if (value.numel() > 0 && value.scalar_type() == evaluator.real()) {
            out.push_back({.least = value.min().item<double>(), .most = value.max().item<double>()});
        }
    }
    return out;
}

}  // namespace

bool is_finite(const at::Tensor& value) {
    return !at::isFloatingType(value.scalar_type()) || at::isfinite(value.detach()).all().item<bool>();
}

Problem blame(Evaluator& evaluator, const std::vector<graph::NodeId>& order, const Call& call, std::string what) {
    const graph::Graph& graph = evaluator.graph();
    const at::NoGradGuard no_grad;
    for (const graph::NodeId id : order) {
        evaluator.compute(id, call);
        const graph::Node& node = graph.nodes[id];
        bool whole = true;
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            whole = whole && is_finite(evaluator.value(node.first_output + i));
        }
        if (whole) {
            continue;
        }
        const DType real = evaluator.real() == at::kFloat ? DType::kF32 : DType::kF64;
        return not_finite_at(graph, id, what, input_ranges(evaluator, node), real);
    }
    return plugin_problem(what);
}

}  // namespace tenon::reference
