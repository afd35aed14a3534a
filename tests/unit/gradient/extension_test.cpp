// SPDX-License-Identifier: Apache-2.0
// What becomes of nodes that the host adds and that do not fit: a problem, which stays, and no exception.
#include "compute/gradient/extension.hpp"

#include "compute/gradient/expression.hpp"
#include "compute/gradient/gradients.hpp"
#include "compute/graph/limits.hpp"
#include "engines/compiled/rewriting.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace extension_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Small {
    Sketch sketch;
    ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows, 3}});
    ValueId y = sketch.column("y", Type{Kind::kReal, {graph::kRows, 4}});

    Small() { sketch.at_line(7); }
};

}  // namespace

TEST_CASE("a node that does not fit is a problem at its source, the first of them") {
    Small small;
    graph::Extension extension(small.sketch.graph);
    CHECK(extension.status().has_value());
    extension.at_source(small.sketch.graph.node_of(small.y).source);
    extension.emit(graph::OpId::kAdd_1, {small.x, small.y});
    extension.emit(graph::OpId::kScan_1, {small.x});
    REQUIRE_FALSE(extension.status().has_value());
    CHECK_THAT(extension.status().error().sentence, ContainsSubstring("the host could not add the op 'add' to the "
                                                                      "graph: ") &&
                                                        ContainsSubstring("please report it"));
    CHECK(extension.status().error().place.line == 7);

    graph::Extension other(small.sketch.graph);
    other.emit(graph::OpId::kScan_1, {small.x});
    CHECK_THAT(other.status().error().sentence, ContainsSubstring("the op 'scan' to the graph: it has no shape rule"));
}

TEST_CASE("a node whose result no value can be is a problem") {
    Small small;
    graph::Extension deep(small.sketch.graph);
    ValueId x = small.x;
    for (std::size_t i = 0; i < graph::kMostDimensions; ++i) {
        x = deep.emit(graph::OpId::kUnsqueeze_1, {x}, {{"axis", std::int64_t{-1}}});
    }
    REQUIRE_FALSE(deep.status().has_value());
    CHECK_THAT(deep.status().error().sentence,
               ContainsSubstring("the op 'unsqueeze' to the graph: the result, real ["));

    graph::Extension large(small.sketch.graph);
    large.emit(graph::OpId::kPad_1, {small.x},
               {{"start", std::int64_t{0}}, {"width", std::int64_t{1} << 62}, {"axis", std::int64_t{-1}}});
    REQUIRE_FALSE(large.status().has_value());
    CHECK_THAT(large.status().error().sentence, ContainsSubstring("has too many elements"));
}

TEST_CASE("gradients on a graph to which something could not be added are a problem") {
    Small small;
    graph::Extension extension(small.sketch.graph);
    const ValueId total = extension.emit(graph::OpId::kSumLike_1, {small.x, extension.constant(0)});
    REQUIRE(graph::add_gradients(extension, total, {small.x}).has_value());
    extension.emit(graph::OpId::kAdd_1, {small.x, small.y});
    CHECK_FALSE(graph::add_gradients(extension, total, {small.x}).has_value());
}

TEST_CASE("a rewriting that fails leaves the graph as it was") {
    Small small;
    const std::size_t nodes = small.sketch.graph.nodes.size();
    const graph::Graph out =
        compiled::rewritten(small.sketch.graph, [](graph::Extension& extension, graph::Node& node) {
            extension.emit(graph::OpId::kScan_1, {});
            node.op = nullptr;
        });
    REQUIRE(out.nodes.size() == nodes);
    CHECK(out.nodes[1].op != nullptr);
}

TEST_CASE("numbers alone make no node: what they are in a gradient is seen") {
    const graph::V out = exp(graph::V(1.0)) + 2;
    CHECK(out.in == nullptr);
    CHECK(out.number != out.number);
}

}  // namespace extension_test
