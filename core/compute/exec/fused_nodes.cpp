// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/fused_nodes.hpp"

#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon {

using graph::NodeId;
using graph::ValueId;

std::vector<FusedUse> fused_uses(const graph::Graph& graph) {
    std::vector<FusedUse> out;
    if (graph.kernels.empty()) {
        return out;
    }
    auto losses = mapped<ValueId>(graph.losses, &graph::Loss::value);
    std::vector<ValueId> wanted = graph::effects_of(graph, true);
    wanted.insert(wanted.end(), losses.begin(), losses.end());
    const std::vector<bool> needed = graph::ancestors(graph, wanted);
    std::vector<ValueId> parameters;
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (node.is(graph::OpId::kParameter_1) && graph::string_attribute(node, "slab") == "live") {
            parameters.push_back(node.first_output);
        }
    }
    const std::vector<bool> paths = graph::gradient_paths(graph, losses);
    const std::vector<bool> carries = graph::carries_gradient(graph, paths, parameters);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (!needed[id] || !node.is(graph::OpId::kFused_1)) {
            continue;
        }
        FusedUse use{.node = id, .wanted = {}};
        for (const ValueId input : node.inputs) {
            const bool is_parameter = std::ranges::find(parameters, input) != parameters.end();
            use.wanted.push_back(carries[id] && paths[input] && (is_parameter || carries[graph.values[input].node]));
        }
        out.push_back(std::move(use));
    }
    return out;
}

Problems check_fused(const graph::Graph& graph, DType real) {
    Problems out;
    for (const FusedUse& use : fused_uses(graph)) {
        const graph::FusedKernel& kernel = graph::kernel_of(graph, graph.nodes[use.node]);
        if (!kernel.takes(real == DType::kF64)) {
            const bool wants_double = kernel.takes(true);
            out.push_back(graph::problem_at(graph, use.node,
                                            kernel.component + ": the kernel '" + kernel.name() + "' computes in " +
                                                (wants_double ? "float64" : "float32") + " only, but run.dtype is \"" +
                                                (wants_double ? "float32" : "float64") + "\""));
        }
        if (std::ranges::find(use.wanted, true) != use.wanted.end()) {
            if (Status known = graph::check_differentiable(graph, use.node); !known) {
                out.push_back(known.error());
            }
        }
    }
    return out;
}

}  // namespace tenon
