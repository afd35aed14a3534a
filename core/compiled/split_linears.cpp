// SPDX-License-Identifier: Apache-2.0
#include "compiled/split_linears.hpp"

#include <algorithm>
#include <utility>

#include "gradient/extension.hpp"
#include "graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::NodeId;
using graph::Type;
using graph::ValueId;

class Splitting {
public:
    explicit Splitting(const graph::Graph& graph) : from_(graph), out_(graph), extension_(begun(out_)) {}

    graph::Graph run() {
        for (NodeId id = 1; id < from_.nodes.size(); ++id) {
            Node node = from_.nodes[id];
            if (is_worth_it(node)) {
                split(node);
            }
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                out_.values[node.first_output + i].node = static_cast<NodeId>(out_.nodes.size());
            }
            out_.nodes.push_back(std::move(node));
        }
        return std::move(out_);
    }

private:
    static graph::Graph& begun(graph::Graph& graph) {
        graph.nodes.resize(1);
        return graph;
    }

    [[nodiscard]] bool is_worth_it(const Node& node) const {
        if (node.op == nullptr || node.op->name != "linear" || graph::scan_of(from_, node.region) != 0) {
            return false;
        }
        const Node& x = from_.node_of(node.inputs[0]);
        const Type& result = from_.type(node.first_output);
        const Type& weight = from_.type(node.inputs[1]);
        return x.op->name == "concat" && std::ranges::any_of(x.inputs, [&](ValueId part) {
                   const Type& type = from_.type(part);
                   return std::ranges::any_of(result.symbols(),
                                              [&](graph::Dim dim) { return !type.has(dim) && !weight.has(dim); });
               });
    }

    // The node becomes the sum. The bias goes with the part that has the fewest rows.
    void split(Node& node) {
        const std::vector<ValueId> parts = from_.node_of(node.inputs[0]).inputs;
        const auto fewest =
            std::ranges::min_element(parts, {}, [&](ValueId part) { return from_.type(part).symbol_count(); });
        extension_.at_source(node.source);
        std::vector<ValueId> terms;
        std::int64_t start = 0;
        for (auto part = parts.begin(); part != parts.end(); ++part) {
            const std::int64_t width = from_.type(*part).dims.back();
            std::vector<ValueId> inputs{
                *part, extension_.emit("slice", {node.inputs[1]}, {{"start", start}, {"length", width}})};
            if (part == fewest) {
                inputs.insert(inputs.end(), node.inputs.begin() + 2, node.inputs.end());
            }
            terms.push_back(extension_.emit("linear", std::move(inputs)));
            start += width;
        }
        ValueId total = terms.front();
        for (std::size_t i = 1; i + 1 < terms.size(); ++i) {
            total = extension_.emit("add", {total, terms[i]});
        }
        node.op = graph::find_op("add", 1);
        node.inputs = {total, terms.back()};
        node.attributes.clear();
    }

    const graph::Graph& from_;
    graph::Graph out_;
    graph::Extension extension_;
};

}  // namespace

graph::Graph with_split_linears(const graph::Graph& graph) {
    return Splitting(graph).run();
}

}  // namespace tenon::compiled
