// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

#include <algorithm>
#include <utility>

#include "compute/graph/dependence.hpp"
#include "engines/compiled/rewriting.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::Type;
using graph::ValueId;

constexpr graph::OpSet kConcats{graph::OpId::kConcat_1, graph::OpId::kConcat_2};

bool is_worth_it(const graph::Graph& graph, const Node& node) {
    if (!node.is(graph::OpId::kLinear_1) || graph::scan_of(graph, node.region) != 0) {
        return false;
    }
    const Node& x = graph.node_of(node.inputs[0]);
    const Type& result = graph.type(node.first_output);
    const Type& weight = graph.type(node.inputs[1]);
    return x.is_any(kConcats) && graph::axis_of(x) == -1 && std::ranges::any_of(x.inputs, [&](ValueId part) {
               const Type& type = graph.type(part);
               return std::ranges::any_of(result.symbols(),
                                          [&](graph::Dim dim) { return !type.has(dim) && !weight.has(dim); });
           });
}

// Replaces the node by the sum. The part with the fewest rows gets the bias.
void split(const graph::Graph& graph, graph::Extension& extension, Node& node) {
    const std::vector<ValueId> parts = graph.node_of(node.inputs[0]).inputs;
    const auto fewest =
        std::ranges::min_element(parts, {}, [&](ValueId part) { return graph.type(part).symbol_count(); });
    std::vector<ValueId> terms;
    std::int64_t start = 0;
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        const std::int64_t width = graph.type(*part).dims.back();
        std::vector<ValueId> inputs{
            *part, extension.emit(graph::OpId::kSlice_1, {node.inputs[1]}, {{"start", start}, {"length", width}})};
        if (part == fewest) {
            inputs.insert(inputs.end(), node.inputs.begin() + 2, node.inputs.end());
        }
        terms.push_back(extension.emit(graph::OpId::kLinear_1, std::move(inputs)));
        start += width;
    }
    ValueId total = terms.front();
    for (std::size_t i = 1; i + 1 < terms.size(); ++i) {
        total = extension.emit(graph::OpId::kAdd_1, {total, terms[i]});
    }
    node.op = &graph::op_of(graph::OpId::kAdd_1);
    node.inputs = {total, terms.back()};
    node.attributes.clear();
}

}  // namespace

graph::Graph with_split_linears(const graph::Graph& graph) {
    return rewritten(graph, [&](graph::Extension& extension, Node& node) {
        if (is_worth_it(graph, node)) {
            split(graph, extension, node);
        }
    });
}

}  // namespace tenon::compiled
