// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <cstddef>
#include <set>
#include <string_view>

#include "base/data/key.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Rule;
using graph::ValueId;

// Whether an op only rearranges its inputs.
bool rearranges(Rule rule) {
    switch (rule) {
        case Rule::kKeep:
        case Rule::kSpread:
        case Rule::kStack:
        case Rule::kPick:
        case Rule::kCollect:
        case Rule::kUncollect:
        case Rule::kTranspose:
        case Rule::kPermute:
        case Rule::kConcat:
        case Rule::kSlice:
        case Rule::kUnsqueeze:
        case Rule::kSqueeze:
        case Rule::kReshape:
        case Rule::kAtTime:
            return true;
        default:
            return false;
    }
}

// Follows values from a column to the nodes that compute with them.
class Readers {
public:
    Readers(const Graph& graph, std::set<std::string>& read_as) : graph_(graph), read_as_(read_as) {}

    void follow(ValueId value) {
        if (!seen_.insert(value).second) {
            return;
        }
        for (const Node& node : graph_.nodes) {
            for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                if (node.inputs[i] == value) {
                    look_at(node, i);
                }
            }
        }
        for (const graph::Region& region : graph_.regions) {
            for (std::size_t i = 0; region.scan && i < region.arguments.size(); ++i) {
                if (region.arguments[i] == value) {
                    follow(region.inputs[i]);
                }
            }
        }
    }

private:
    void look_at(const Node& node, std::size_t input) {
        if (node.op->rule == Rule::kOneHot) {
            read_as_.insert("one-hot");
        } else if (node.op->rule == Rule::kGather && input == 1) {
            read_as_.insert("index");
        } else if (rearranges(node.op->rule)) {
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                follow(node.first_output + i);
            }
        } else if (!node.is_any(graph::kScans)) {
            read_as_.insert("number");
        }
    }

    const Graph& graph_;
    std::set<std::string>& read_as_;
    std::set<ValueId> seen_;
};

void add_readers(const Graph& graph, const std::string& column, std::set<std::string>& read_as) {
    for (const Node& node : graph.nodes) {
        if (!node.is(graph::OpId::kColumn_1)) {
            continue;
        }
        const std::string& key = graph::string_attribute(node, "key");
        if (key == column || key == next_key(column)) {
            Readers(graph, read_as).follow(node.first_output);
        }
    }
}

}  // namespace

std::vector<ExplainedCategories> categories_of(const Wiring& w) {
    std::vector<ExplainedCategories> out;
    for (const Spec& spec : w.env_specs.specs) {
        const bool categories = spec.kind == SpecKind::kCategorical || spec.kind == SpecKind::kMultiCategorical;
        if (!categories || spec.role != Role::kObservation) {
            continue;
        }
        std::set<std::string> read_as;
        for (const BuiltProgram* program : {&w.act, &w.mode, &w.evaluate}) {
            add_readers(program->graph, spec.key, read_as);
        }
        for (const ObjectivePlan& plan : w.objectives) {
            each_program(plan, [&](const BuiltProgram& program) { add_readers(program.graph, spec.key, read_as); });
        }
        if (!read_as.empty()) {
            out.push_back({spec.key, spec.categories, {read_as.begin(), read_as.end()}});
        }
    }
    return out;
}

}  // namespace tenon
