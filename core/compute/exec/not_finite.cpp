// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/not_finite.hpp"

#include "base/data/number_text.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/text.hpp"

namespace tenon {
namespace {

std::string made_by(const graph::Graph& graph, graph::NodeId id) {
    const graph::Node& node = graph.nodes[id];
    if (node.is(graph::OpId::kColumn_1)) {
        return "the column '" + graph::string_attribute(node, "key") + "'";
    }
    if (node.is(graph::OpId::kParameter_1) || node.is(graph::OpId::kState_1)) {
        return "the parameter '" + graph::string_attribute(node, "name") + "' of '" +
               graph::string_attribute(node, "role") + "'";
    }
    return graph::describe(graph, id);
}

}  // namespace

Problem not_finite_at(const graph::Graph& graph, graph::NodeId node, const std::string& what,
                      std::span<const ValueRange> inputs, DType real) {
    Problem out = graph::problem_at(graph, node,
                                    what + "; the first value that is not finite is that of " + made_by(graph, node));
    const auto text_of = [&](double number) {
        return real == DType::kF32 ? number_text(static_cast<float>(number)) : number_text(number);
    };
    const auto range_of = [&](const ValueRange& input) {
        return "[" + text_of(input.least) + ", " + text_of(input.most) + "]";
    };
    out.help = inputs.empty() ? "" : "its inputs are in " + listed(inputs, range_of);
    return out;
}

}  // namespace tenon
