// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/gradients.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/gradient/adjoints.hpp"
#include "compute/gradient/extension.hpp"
#include "compute/gradient/plain_attention.hpp"
#include "compute/gradient/scan_gradient.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon::graph {
namespace {

class Differentiation {
    using Inside = std::pair<ValueId, ValueId>;

public:
    // `flowing`: the gradient of `total`, or 0 for that of its sum.
    Differentiation(Extension& graph, ValueId total, const std::vector<ValueId>& leaves, const Within& within,
                    ValueId flowing = 0)
        : graph_(graph),
          within_(within),
          paths_(gradient_paths(graph.graph(), {total})),
          carries_(carries_gradient(graph.graph(), paths_, leaves, within.scans)),
          carried_(paths_.size(), false),
          ends_(carries_.size(), false),
          gradient_(paths_.size(), 0) {
        mark_leaves(leaves);
        graph_.at_source(graph_.graph().node_of(total).source);
        gradient_[total] = lined_up(graph_, flowing != 0 ? flowing : graph_.constant(1), total);
    }

    Status run() {
        for (auto id = static_cast<NodeId>(carries_.size() - 1); id > 0; --id) {
            const Node& node = graph_.graph().nodes[id];
            if (carries_[id] && !ends_[id] && is_reached(node) && is_visited(node)) {
                TENON_TRY(differentiate(id));
            }
        }
        return {};
    }

    [[nodiscard]] ValueId of(ValueId leaf) const { return gradient_[leaf]; }

private:
    void mark_leaves(const std::vector<ValueId>& leaves) {
        for (const ValueId leaf : leaves) {
            ends_[graph_.graph().values[leaf].node] = true;
        }
        for (NodeId id = 1; id < carries_.size(); ++id) {
            const Node& node = graph_.graph().nodes[id];
            for (std::uint32_t i = 0; carries_[id] && i < node.output_count; ++i) {
                carried_[node.first_output + i] = paths_[node.first_output + i];
            }
        }
    }

    // The bodies of scans are not, unless they are still open.
    [[nodiscard]] bool is_visited(const Node& node) const {
        const std::uint32_t scan = scan_of(graph_.graph(), node.region);
        return scan == 0 || std::ranges::find(within_.scans, scan) != within_.scans.end();
    }

    [[nodiscard]] bool is_reached(const Node& node) const {
        const auto first = gradient_.begin() + node.first_output;
        return std::any_of(first, first + node.output_count, [](ValueId gradient) { return gradient != 0; }) ||
               (node.is_any(kScans) && inside_.contains(int_attribute(node, "region")));
    }

    Status differentiate(NodeId id) {
        const Node node = graph_.graph().nodes[id];
        if (node.is(OpId::kFused_1)) {
            return within_.again ? differentiate_body(id, node) : differentiate_fused(id, node);
        }
        if (node.is_any(kScans) && !within_.scans.empty()) {
            return problem_at(graph_.graph(), id, "inside a scan it cannot pass through another scan");
        }
        if (node.is_any(kScans)) {
            const auto first = gradient_.begin() + node.first_output;
            const std::vector<ValueId> outputs(first, first + node.output_count);
            const auto inside = inside_.extract(int_attribute(node, "region"));
            const Flowing flowing{.outputs = outputs,
                                  .inside = inside ? std::span(inside.mapped()) : std::span<Inside>()};
            return differentiate_scan(graph_, id, {.paths = paths_, .wanted = carried_}, flowing,
                                      [this](ValueId value, ValueId part) { add(value, part); });
        }
        if (node.is(OpId::kStepsOf_1)) {
            inside_[int_attribute(node, "region")].emplace_back(static_cast<ValueId>(int_attribute(node, "value")),
                                                                gradient_[node.first_output]);
            return {};
        }
        if (node.is(OpId::kAttention_1) && within_.again) {
            graph_.at_source(node.source);
            return differentiate_in_place(plain_attention(graph_, node), gradient_[node.first_output],
                                          {node.inputs.begin(), node.inputs.begin() + 3});
        }
        const Adjoint adjoint = adjoint_of(*node.op);
        if (adjoint == nullptr || node.inputs.empty()) {
            return node.inputs.empty() ? Status() : unknown(id);
        }
        graph_.at_source(node.source);
        Differentiated at{.graph = graph_,
                          .node = node,
                          .y = {&graph_, node.first_output},
                          .out = std::vector<V>(node.inputs.size())};
        for (const ValueId input : node.inputs) {
            at.wanted.push_back(carried_[input]);
        }
        adjoint(at, {&graph_, gradient_[node.first_output]});
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (at.out[i].in != nullptr) {
                add(node.inputs[i], at.out[i].id);
            }
        }
        return {};
    }

    // Differentiates another value of the same inputs in place of a node's result, because kernels have a first
    // derivative only.
    Status differentiate_in_place(ValueId value, ValueId flowing, const std::vector<ValueId>& inputs) {
        Differentiation other(graph_, value, inputs, within_, flowing);
        TENON_TRY(other.run());
        for (const ValueId input : std::set(inputs.begin(), inputs.end())) {
            if (carried_[input] && other.of(input) != 0) {
                add(input, other.of(input));
            }
        }
        return {};
    }

    Status differentiate_body(NodeId id, const Node& node) {
        const std::uint32_t body = body_of_fused(graph_.graph(), node);
        if (body == 0) {
            return second_of_kernel(id, node);
        }
        const std::vector<ValueId> results = graph_.graph().regions[body].results;
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            if (const ValueId flowing = gradient_[node.first_output + i]; flowing != 0) {
                TENON_TRY(differentiate_in_place(results[i], flowing, node.inputs));
            }
        }
        return {};
    }

    // Adds a node that calls the kernel's backward.
    Status differentiate_fused(NodeId id, const Node& node) {
        TENON_TRY(check_differentiable(graph_.graph(), id));
        graph_.at_source(node.source);
        std::vector<ValueId> inputs = node.inputs;
        std::vector<std::int64_t> flowing;
        std::vector<std::int64_t> wanted;
        std::vector<Type> types;
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            inputs.push_back(node.first_output + i);
        }
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            if (const ValueId gradient = gradient_[node.first_output + i]; gradient != 0) {
                flowing.push_back(i);
                inputs.push_back(gradient);
            }
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (carried_[node.inputs[i]]) {
                wanted.push_back(static_cast<std::int64_t>(i));
                types.push_back(type_of_fused(graph_.graph(), node, i));
            }
        }
        if (wanted.empty()) {
            return {};
        }
        std::vector<Attribute> attributes = node.attributes;
        attributes.push_back({"flowing", flowing});
        attributes.push_back({"wanted", wanted});
        std::ranges::sort(attributes, {}, &Attribute::key);
        const ValueId first =
            graph_.emit_typed(OpId::kFusedGradient_1, std::move(inputs), std::move(attributes), std::move(types));
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            add(node.inputs[static_cast<std::size_t>(wanted[i])], first + static_cast<ValueId>(i));
        }
        return {};
    }

    // Gradients of several uses of a value are summed.
    void add(ValueId value, ValueId part) {
        part = lined_up(graph_, part, value);
        gradient_[value] = gradient_[value] == 0 ? part : graph_.emit(OpId::kAdd_1, {gradient_[value], part});
    }

    Status second_of_kernel(NodeId id, const Node& node) const {
        return problem_at(graph_.graph(), id,
                          "a second-order gradient of the kernel '" + kernel_of(graph_.graph(), node).name() +
                              "' is needed, but fused nodes have none");
    }

    Status unknown(NodeId id) const {
        if (graph_.graph().nodes[id].is(OpId::kFusedGradient_1)) {
            return second_of_kernel(id, graph_.graph().nodes[id]);
        }
        return problem_at(
            graph_.graph(), id,
            "the op '" + std::string(graph_.graph().nodes[id].op->name) + "' has no gradient as nodes of the graph");
    }

    Extension& graph_;
    const Within& within_;
    std::vector<bool> paths_;    // by value
    std::vector<bool> carries_;  // by node
    std::vector<bool> carried_;  // by value
    std::vector<bool> ends_;     // by node: that of a leaf
    std::vector<ValueId> gradient_;
    std::map<std::int64_t, std::vector<Inside>> inside_;  // of scans, by region: gradients of their values at each step
};

}  // namespace

Result<std::vector<ValueId>> add_gradients(Extension& graph, ValueId total, const std::vector<ValueId>& leaves,
                                           const Within& within) {
    Differentiation differentiation(graph, total, leaves, within);
    TENON_TRY(differentiation.run());
    TENON_TRY(graph.status());
    return mapped<ValueId>(leaves, [&](const ValueId leaf) { return differentiation.of(leaf); });
}

}  // namespace tenon::graph
