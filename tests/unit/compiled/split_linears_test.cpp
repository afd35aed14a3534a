// SPDX-License-Identifier: Apache-2.0
// Linear layers over things side by side, split.
#include "engines/compiled/graph_rewrites.hpp"

#include <algorithm>

#include "compute/graph/text.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace split_linears_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// A layer over features [B, 3] beside actions [N, B, 2], by weights that members have or not.
struct Layer {
    Sketch sketch{2};
    ValueId value = 0;

    explicit Layer(bool spread) {
        const ValueId features = sketch.column("features", Type{Kind::kReal, {graph::kRows, 3}});
        const ValueId actions = sketch.column("actions", Type{Kind::kReal, {graph::kRows, 2}});
        const Type weights{Kind::kReal, {kMembers, 4, 5}};
        const ValueId w = sketch.parameter("ensemble", "w", weights);
        const ValueId b = sketch.parameter("ensemble", "b", Type{Kind::kReal, {kMembers, 4}});
        const ValueId many =
            spread ? sketch.add("spread", {actions}, {{"n", std::int64_t{7}}, {"name", std::string("tries")}})
                   : actions;
        value = sketch.add("linear", {sketch.add("concat", {features, many}), w, b});
        sketch.write("out", value);
    }
};

std::int64_t count(const graph::Graph& graph, std::string_view op) {
    return std::ranges::count_if(graph.nodes,
                                 [&](const graph::Node& node) { return node.op != nullptr && node.op->name == op; });
}

}  // namespace

TEST_CASE("what is the same for many rows goes through its part of a linear layer once") {
    const Layer layer(true);
    const graph::Graph split = compiled::with_split_linears(layer.sketch.graph);
    CHECK(count(split, "linear") == 2);
    CHECK(count(split, "slice") == 2);
    const graph::Node& sum = split.node_of(layer.value);
    REQUIRE(sum.op->name == "add");
    CHECK(split.type(layer.value).dims == layer.sketch.graph.type(layer.value).dims);
    const graph::Node& first = split.node_of(sum.inputs[0]);
    const graph::Node& second = split.node_of(sum.inputs[1]);
    CHECK(first.inputs.size() == 3);  // the bias goes with the fewer rows
    CHECK(second.inputs.size() == 2);
    CHECK(split.type(sum.inputs[0]).symbol_count() + 1 == split.type(sum.inputs[1]).symbol_count());
    for (graph::NodeId id = 1; id < split.nodes.size(); ++id) {
        for (const ValueId input : split.nodes[id].inputs) {
            CHECK(split.values[input].node < id);
        }
    }
}

TEST_CASE("a linear layer whose weights have all that its inputs lack stays whole") {
    const Layer layer(false);
    const graph::Graph same = compiled::with_split_linears(layer.sketch.graph);
    CHECK(graph::text(same, graph::Places::kLeftOut) == graph::text(layer.sketch.graph, graph::Places::kLeftOut));
}

}  // namespace split_linears_test
