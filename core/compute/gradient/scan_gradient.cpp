// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/scan_gradient.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/gradient/adjoints.hpp"
#include "compute/gradient/extension.hpp"
#include "compute/gradient/sequences.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon::graph {
namespace {

// Whether the node computes each step independently, so that it can compute all steps at once.
bool is_step_by_step(const Graph& graph, const Node& node, Dim steps) {
    const auto names_its_dimension = [&] {
        const AttributeValue* const of = find_attribute(node, "of");
        return of != nullptr && !std::get<std::string>(*of).empty();
    };
    switch (node.op->rule) {
        case Rule::kReduceRows:
        case Rule::kCountRows:
        case Rule::kScanLinear:
        case Rule::kAtTime:
        case Rule::kWindows:
        case Rule::kSumWindows:
            return steps != kTime;
        case Rule::kMeanRows:
        case Rule::kSpecial:
            return false;
        case Rule::kPick:
        case Rule::kCollect:
            return steps == kTime ||
                   names_its_dimension();  // without a name, the op could take the dimension of the steps
        default:
            return (steps != kTime || !node.is(OpId::kShiftTime_1)) && !graph.type(node.first_output).has(steps);
    }
}

class ScanGradient {
public:
    ScanGradient(Extension& extension, NodeId scan, const Flow& flow)
        : extension_(extension),
          flow_(flow),
          scan_(scan),
          number_(static_cast<std::uint32_t>(int_attribute(graph().nodes[scan], "region"))),
          region_(graph().regions[number_]),
          forward_(extension, number_, scan, std::vector<bool>(graph().nodes.size(), true)) {}

    Status differentiate(const Flowing& flowing, const std::function<void(ValueId, ValueId)>& give) {
        extension_.at_source(graph().nodes[scan_].source);
        find_body();
        begin(flowing);
        for (std::size_t i = body_.size(); i > 0; --i) {
            TENON_TRY(differentiate_node(body_[i - 1]));
        }
        extension_.at_source(graph().nodes[scan_].source);
        finish(give);
        return {};
    }

private:
    [[nodiscard]] const Graph& graph() const { return extension_.graph(); }
    [[nodiscard]] bool is_in_body(ValueId value) const {
        return scan_of(graph(), graph().node_of(value).region) == number_;
    }
    [[nodiscard]] bool flows(ValueId value) const {
        return is_in_body(value) ? flows_.contains(value) : flow_.wanted[value];
    }

    // Finds the nodes of the body and the values that have a gradient.
    void find_body() {
        for (std::size_t i = 0; i < region_.inputs.size(); ++i) {
            const bool carried = i < static_cast<std::size_t>(region_.carries);
            if (flow_.paths[region_.inputs[i]] && (carried || flow_.wanted[region_.arguments[i]])) {
                flows_[region_.inputs[i]] = true;
            }
        }
        for (NodeId id = 1; id < scan_; ++id) {
            const Node& node = graph().nodes[id];
            if (scan_of(graph(), node.region) != number_ || node.is(OpId::kArgument_1)) {
                continue;
            }
            body_.push_back(id);
            const bool reached = std::ranges::any_of(node.inputs, [&](ValueId input) { return flows(input); });
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                if (reached && flow_.paths[node.first_output + i] && !node.is(OpId::kStopGradient_1)) {
                    flows_[node.first_output + i] = true;
                }
            }
        }
    }

    void begin(const Flowing& flowing) {
        std::vector<ValueId> first;
        for (std::size_t i = 0; i < static_cast<std::size_t>(region_.carries); ++i) {
            if (flows_.contains(region_.inputs[i])) {
                memories_.push_back(i);
                first.push_back(extension_.emit(OpId::kExpandLike_1, {extension_.constant(0), region_.arguments[i]}));
            }
        }
        const std::vector<ValueId> later = extension_.begin_scan_back(region_, first);
        back_ = static_cast<std::uint32_t>(graph().regions.size() - 1);
        for (std::size_t i = 0; i < memories_.size(); ++i) {
            add(region_.results[memories_[i]], later[i]);
        }
        for (std::size_t i = 0; i < flowing.outputs.size(); ++i) {
            if (flowing.outputs[i] != 0) {
                add(region_.results[i], flowing.outputs[i]);
            }
        }
        for (const auto& [value, gradient] : flowing.inside) {
            add(value, gradient);
        }
    }

    void add(ValueId value, ValueId part) {
        if (!is_in_body(value)) {
            outside_.emplace_back(value, part);
            return;
        }
        ValueId& gradient = gradient_[value];
        part = lined_up(extension_, part, forward_.of(value));
        gradient = gradient == 0 ? part : extension_.emit(OpId::kAdd_1, {gradient, part});
    }

    Status differentiate_node(NodeId id) {
        const Node node = graph().nodes[id];
        const auto gradient = gradient_.find(node.first_output);
        if (gradient == gradient_.end() || !flows_.contains(node.first_output) || node.inputs.empty()) {
            return {};
        }
        const Adjoint adjoint = adjoint_of(*node.op);
        if (adjoint == nullptr || node.output_count != 1) {
            return problem_at(
                graph(), id,
                "the op '" + std::string(node.op->name) + "' inside a scan has no gradient as nodes of the graph");
        }
        extension_.at_source(node.source);
        Node over_steps = node;
        std::vector<bool> wanted;
        for (ValueId& input : over_steps.inputs) {
            wanted.push_back(flows(input));
            input = forward_.of(input);
        }
        Differentiated at{.graph = extension_,
                          .node = std::move(over_steps),
                          .y = {&extension_, forward_.of(node.first_output)},
                          .wanted = std::move(wanted),
                          .out = std::vector<V>(node.inputs.size())};
        adjoint(at, {&extension_, gradient->second});
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (at.out[i].in != nullptr) {
                add(node.inputs[i], at.out[i].id);
            }
        }
        return {};
    }

    // The gradient of a memory before a step; zero where the step resets it.
    ValueId before_step(std::size_t memory) {
        const auto found = gradient_.find(region_.inputs[memory]);
        const ValueId zero = extension_.constant(0);
        if (found == gradient_.end()) {
            return extension_.emit(OpId::kExpandLike_1, {zero, region_.arguments[memory]});
        }
        ValueId gradient = found->second;
        if (region_.reset >= 0) {
            ValueId begins = region_.arguments[static_cast<std::size_t>(region_.reset)];
            for (std::size_t i = 0; i < graph().type(region_.inputs[memory]).sizes().size(); ++i) {
                begins = extension_.emit(OpId::kUnsqueeze_1, {begins}, {{"axis", std::int64_t{-1}}});
            }
            gradient = extension_.emit(OpId::kWhere_1, {begins, zero, gradient});
        }
        return extension_.is_inside(gradient) ? gradient : extension_.step_of(gradient);
    }

    // The value of a sequence at the step that the scan runs first.
    ValueId at_first_step(ValueId sequence) {
        if (region_.steps == kTime) {
            return extension_.emit(OpId::kAtTime_1, {sequence}, {{"index", std::int64_t{region_.backward ? -1 : 0}}});
        }
        const Symbols& symbols = graph().symbols;
        const std::int64_t first = region_.backward ? symbols.size(region_.steps) - 1 : 0;
        return extension_.emit(OpId::kPick_1, {sequence}, {{"index", first}, {"of", symbols.role(region_.steps)}});
    }

    void finish(const std::function<void(ValueId, ValueId)>& give) {
        const auto results = mapped<ValueId>(memories_, [&](const std::size_t memory) { return before_step(memory); });
        for (std::size_t i = static_cast<std::size_t>(region_.carries); i < region_.inputs.size(); ++i) {
            const auto found = gradient_.find(region_.inputs[i]);
            if (found != gradient_.end() && flow_.wanted[region_.arguments[i]]) {
                outside_.emplace_back(region_.arguments[i], found->second);
            }
        }
        const Region entered = graph().regions[back_];
        const std::vector<ValueId> firsts = extension_.end_scan(results);
        Sequences backward(extension_, back_, graph().values[firsts.empty() ? 0 : firsts.front()].node,
                           ancestors(graph(), results));
        backward.know_arguments(entered);
        for (std::size_t i = 0; i < memories_.size(); ++i) {
            if (const ValueId begin = region_.arguments[memories_[i]]; flow_.wanted[begin]) {
                give(begin, at_first_step(firsts[i]));
            }
        }
        for (const auto& [value, part] : outside_) {
            if (flow_.wanted[value]) {
                give(value, backward.of(part));
            }
        }
    }

    Extension& extension_;
    const Flow& flow_;
    NodeId scan_;
    std::uint32_t number_;
    const Region region_;
    Sequences forward_;
    std::uint32_t back_ = 0;
    std::vector<NodeId> body_;
    std::vector<std::size_t> memories_;  // those with a gradient
    std::map<ValueId, bool> flows_;
    std::map<ValueId, ValueId> gradient_;               // of the body's values
    std::vector<std::pair<ValueId, ValueId>> outside_;  // gradient contributions of outer values
};

}  // namespace

Status differentiate_scan(Extension& extension, NodeId scan, const Flow& flow, const Flowing& flowing,
                          const std::function<void(ValueId, ValueId)>& give) {
    const Graph& graph = extension.graph();
    const auto number = static_cast<std::uint32_t>(int_attribute(graph.nodes[scan], "region"));
    const std::vector<bool> needed = ancestors(graph, graph.regions[number].results);
    for (NodeId id = 1; id < scan; ++id) {
        const Node& node = graph.nodes[id];
        if (needed[id] && scan_of(graph, node.region) == number && !node.is(OpId::kArgument_1) &&
            !is_step_by_step(graph, node, graph.regions[number].steps)) {
            return problem_at(
                graph, id,
                "in a scan that a gradient passes through, '" + std::string(node.op->name) + "' cannot be compiled");
        }
    }
    return ScanGradient(extension, scan, flow).differentiate(flowing, give);
}

}  // namespace tenon::graph
