// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compute/gradient/extension.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpId;
using graph::Region;
using graph::ValueId;

// More copies of nodes than this take longer to order than a compiled loop saves.
constexpr std::size_t kMostCopies = std::size_t{1} << 15U;

// Unrolls those scans inside of scans that contain no others themselves.
class Unrolling {
public:
    Unrolling(const Graph& from, const std::vector<ValueId>& wanted)
        : from_(from), needed_(graph::ancestors(from, wanted)), out_(without_nodes(from)), extension_(out_) {}

    // Nothing if there is no such scan.
    std::optional<Graph> unrolled() {
        bool found = false;
        for (NodeId id = 1; id < from_.nodes.size(); ++id) {
            extension_.at_source(from_.nodes[id].source);
            if (is_unrolled(id)) {
                found = true;
                unroll(id);
            } else {
                push(from_.nodes[id]);
            }
        }
        return found && extension_.status() ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    static Graph without_nodes(Graph graph) {
        graph.nodes.resize(1);
        return graph;
    }

    void push(Node node) {
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            out_.values[node.first_output + i].node = static_cast<NodeId>(out_.nodes.size());
            out_.values[node.first_output + i].output = i;
        }
        out_.nodes.push_back(std::move(node));
    }

    [[nodiscard]] static std::uint32_t region_of(const Node& scan) {
        return static_cast<std::uint32_t>(graph::int_attribute(scan, "region"));
    }

    [[nodiscard]] std::vector<NodeId> body_of(NodeId scan) const {
        const std::uint32_t region = region_of(from_.nodes[scan]);
        std::vector<NodeId> out;
        for (NodeId id = 1; id < scan; ++id) {
            const Node& node = from_.nodes[id];
            if (needed_[id] && graph::scan_of(from_, node.region) == region && !node.is(OpId::kArgument_1)) {
                out.push_back(id);
            }
        }
        return out;
    }

    [[nodiscard]] bool is_unrolled(NodeId id) const {
        static constexpr graph::OpSet kKnown{OpId::kScan_1, OpId::kScan_2};
        const Node& node = from_.nodes[id];
        if (!needed_[id] || !node.is_any(kKnown) || graph::scan_of(from_, node.region) == 0) {
            return false;
        }
        const Region& region = from_.regions[region_of(node)];
        const std::vector<NodeId> body = body_of(id);
        const auto can_copy = [&](NodeId each) {
            const Node& inside = from_.nodes[each];
            return inside.output_count == 1 && (inside.op->rule != graph::Rule::kSpecial || inside.op->random);
        };
        const std::int64_t steps = region.steps == graph::kTime ? 0 : from_.symbols.size(region.steps);
        return steps > 0 && std::ranges::all_of(body, can_copy) &&
               body.size() * static_cast<std::size_t>(steps) <= kMostCopies;
    }

    void unroll(NodeId scan) {
        const Node& node = from_.nodes[scan];
        const Region& region = from_.regions[region_of(node)];
        const std::string& name = from_.symbols.role(region.steps);
        const std::int64_t steps = from_.symbols.size(region.steps);
        const std::vector<NodeId> body = body_of(scan);
        const auto carries = static_cast<std::size_t>(region.carries);
        std::vector<ValueId> carried(region.arguments.begin(), region.arguments.begin() + region.carries);
        std::vector<std::vector<ValueId>> results(region.results.size(),
                                                  std::vector<ValueId>(static_cast<std::size_t>(steps)));
        for (std::int64_t i = 0; i < steps; ++i) {
            const std::int64_t step = region.backward ? steps - 1 - i : i;
            inside_.clear();
            for (std::size_t k = carries; k < region.inputs.size(); ++k) {
                inside_[region.inputs[k]] = picked(region.arguments[k], step, name);
            }
            for (std::size_t k = 0; k < carries; ++k) {
                inside_[region.inputs[k]] = at_start(carried[k], region);
            }
            for (const NodeId each : body) {
                extension_.at_source(from_.nodes[each].source);
                inside_[from_.nodes[each].first_output] = copy(from_.nodes[each], region, step);
            }
            for (std::size_t k = 0; k < results.size(); ++k) {
                results[k][static_cast<std::size_t>(step)] = now(region.results[k]);
            }
            for (std::size_t k = 0; k < carries; ++k) {
                carried[k] = now(region.results[k]);
            }
        }
        drawn_.clear();
        for (std::size_t k = 0; k < results.size(); ++k) {
            Node stack;
            stack.op = &graph::op_of(OpId::kStack_1);
            stack.inputs = std::move(results[k]);
            stack.attributes = {{"name", name}};
            stack.first_output = node.first_output + static_cast<ValueId>(k);
            stack.output_count = 1;
            stack.region = node.region;
            stack.source = node.source;
            push(std::move(stack));
        }
    }

    // What stands for a value of the body in the present step.
    [[nodiscard]] ValueId now(ValueId value) const {
        const auto found = inside_.find(value);
        return found == inside_.end() ? value : found->second;
    }

    ValueId picked(ValueId sequence, std::int64_t step, const std::string& name) {
        return extension_.emit(OpId::kPick_1, {sequence}, {{"index", step}, {"of", name}});
    }

    // A carried value as a step begins: zeros where the step resets it.
    ValueId at_start(ValueId carried, const Region& region) {
        if (region.reset < 0) {
            return carried;
        }
        ValueId reset = now(region.inputs[static_cast<std::size_t>(region.reset)]);
        for (std::size_t size = extension_.type(carried).sizes().size(); size > 0; --size) {
            reset = extension_.emit(OpId::kUnsqueeze_1, {reset}, {{"axis", std::int64_t{-1}}});
        }
        return extension_.emit(OpId::kWhere_1, {reset, extension_.constant(0), carried});
    }

    // Random numbers are drawn for all steps at once.
    ValueId copy(const Node& node, const Region& region, std::int64_t step) {
        std::vector<ValueId> inputs;
        for (const ValueId input : node.inputs) {
            inputs.push_back(now(input));
        }
        if (!node.op->random) {
            return extension_.emit(node.op->id, std::move(inputs), node.attributes);
        }
        ValueId& all = drawn_[node.first_output];
        if (all == 0) {
            all = extension_.emit_typed(node.op->id, std::move(inputs), node.attributes,
                                        {graph::over_steps(from_.type(node.first_output), region.steps)});
            out_.nodes.back().region = region.parent;
        }
        return picked(all, step, from_.symbols.role(region.steps));
    }

    const Graph& from_;
    const std::vector<bool> needed_;
    Graph out_;
    graph::Extension extension_;
    std::map<ValueId, ValueId> inside_;  // by value of the body
    std::map<ValueId, ValueId> drawn_;   // of all steps, by value of the body
};

}  // namespace

Graph with_unrolled_scans(const Graph& graph, const std::vector<ValueId>& wanted) {
    Graph out = graph;
    while (std::optional<Graph> next = Unrolling(out, wanted).unrolled()) {
        out = std::move(*next);
    }
    return out;
}

}  // namespace tenon::compiled
