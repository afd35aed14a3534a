// SPDX-License-Identifier: Apache-2.0
// What authors write with the SDK's functions.
#include <algorithm>
#include <string>

#include "build_fixture.hpp"
#include "sdk_authors.hpp"
#include "support/catch.hpp"

using tenon::graph::Graph;
using tenon::test::World;

namespace {

Graph built(World& world, const char* author) {
    Graph graph = world.objective(author);
    INFO((world.problems.empty() ? std::string{} : world.problems[0].sentence));
    REQUIRE(world.problems.empty());
    return graph;
}

// "real [B, 4]" of what is written under that name.
std::string written(const Graph& graph, std::string_view name) {
    const auto found = std::ranges::find(graph.writes, name, &tenon::graph::Named::name);
    REQUIRE(found != graph.writes.end());
    return graph.symbols.text(graph.type(found->value));
}

std::size_t count(const Graph& graph, std::string_view op) {
    return static_cast<std::size_t>(std::ranges::count_if(
        graph.nodes, [&](const tenon::graph::Node& node) { return node.op != nullptr && node.op->name == op; }));
}

}  // namespace

TEST_CASE("what derives from ActorCritic calls the SDK's mean") {
    World world;
    CHECK(count(built(world, "DerivedMean"), "mean") == 1);
}

TEST_CASE("normalisations take values of several sizes") {
    World world;
    const Graph graph = built(world, "Norms");
    CHECK(written(graph, "layer") == "real [B, 2, 2]");
    CHECK(written(graph, "renorm") == "real [B, 2, 2]");
}
