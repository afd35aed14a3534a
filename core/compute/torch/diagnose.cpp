// SPDX-License-Identifier: Apache-2.0
#include "compute/torch/diagnose.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "base/data/number_text.hpp"
#include "compute/graph/text.hpp"
#include "compute/torch/guard.hpp"

namespace tenon::reference {
namespace {

std::string text_of(const at::Tensor& number) {
    return number.scalar_type() == at::kFloat ? number_text(number.item<float>()) : number_text(number.item<double>());
}

std::string input_text(Evaluator& evaluator, const graph::Node& node) {
    std::string out;
    for (const graph::ValueId input : node.inputs) {
        const at::Tensor value = evaluator.value(input).detach();
        if (value.numel() > 0 && value.scalar_type() == evaluator.real()) {
            out += (out.empty() ? "its inputs are in [" : ", [") + text_of(value.min()) + ", " + text_of(value.max()) +
                   "]";
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
        const Source source = evaluator.step(id).source;
        std::string made = describe(graph, id);
        if (source == Source::kColumn) {
            made = "the column '" + graph::string_attribute(node, "key") + "'";
        } else if (source == Source::kLeaf) {
            made = "the parameter '" + graph::string_attribute(node, "name") + "' of '" +
                   graph::string_attribute(node, "role") + "'";
        }
        Problem problem =
            graph::problem_at(graph, id, what + "; the first value that is not finite is that of " + made);
        problem.help = input_text(evaluator, node);
        return problem;
    }
    return plugin_problem(what);
}

}  // namespace tenon::reference
