// SPDX-License-Identifier: Apache-2.0
// What adding nodes does: interning, kinds and shapes, random nodes, constants, regions.
#include "build_fixture.hpp"
#include "support/catch.hpp"

namespace nodes_test {

using tenon::test::count_op;
using tenon::test::World;

TEST_CASE("equal nodes are one node, by whatever way the author came to them") {
    World world;
    const auto graph = world.objective("Twice");
    CHECK(world.problems.empty());
    CHECK(count_op(graph, "column") == 1);
    CHECK(count_op(graph, "mul") == 1);
    CHECK(count_op(graph, "add") == 1);
    CHECK(count_op(graph, "sub") == 1);
}

TEST_CASE("random nodes never merge, and each has a stream of its own") {
    World world;
    const auto graph = world.objective("Random");
    std::vector<std::string> streams;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].op->random) {
            streams.push_back(tenon::graph::string_attribute(graph.nodes[i], "stream"));
        }
    }
    CHECK(streams == std::vector<std::string>{"test/objective.update/random_normal",
                                              "test/objective.update/random_normal#1", "test/objective.update/mine"});
}

TEST_CASE("the order in which a compiler evaluates operands does not show in the text") {
    World world;
    const auto text_of = [&](const char* author) {
        const auto unit = tenon::test::unit_of(author, "objective", "test/objective");
        return text(world.build(unit, "prepare", {tenon::graph::kTime, tenon::graph::kLanes}),
                    tenon::graph::Places::kLeftOut);
    };
    const std::string left = text_of("LeftFirst");
    CAPTURE(left);
    CHECK(left == text_of("RightFirst"));
    CHECK(world.problems.empty());
    CHECK(left.find("region 1 scan (%1, %2) -> (%8, %9) body (%3, %6) -> (%5, %7)\nregion 2 scan") !=
          std::string::npos);
    CHECK(left.find("region 4 twice/1 (%19) -> (%20)\nwrite \"difference\" %21") != std::string::npos);
    CHECK(left.find("constant/1() value=5") == std::string::npos);
}

TEST_CASE("building is pure: the same author gives the same text") {
    World first;
    World second;
    const auto a = text(first.objective("Random"), tenon::graph::Places::kShown);
    const auto b = text(second.objective("Random"), tenon::graph::Places::kShown);
    CHECK(a == b);
    CHECK(a.find("authors.cpp:") != std::string::npos);
}

TEST_CASE("a scan carries values over time and gives them back with time") {
    World world;
    const auto unit = tenon::test::unit_of("Returns", "objective", "test/returns");
    const auto graph = world.build(unit, "prepare", {tenon::graph::kTime, tenon::graph::kLanes});
    // the carried value begins as a number and goes on as one per lane: that does not fit
    REQUIRE(world.problems.size() == 1);
    CHECK(world.problems[0].sentence.find("carried value 0 starts as real and continues as real [L]") !=
          std::string::npos);
}

TEST_CASE("what does not depend on the step stands outside the scan") {
    World world;
    const auto unit = tenon::test::unit_of("LiftedOut", "objective", "test/lifted");
    const auto graph = world.build(unit, "prepare", {tenon::graph::kTime, tenon::graph::kLanes});
    CHECK(world.problems.empty());
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
        const auto& node = graph.nodes[i];
        CHECK((node.region != 0) == (node.op->name == "argument" || node.op->name == "add"));
    }
}

TEST_CASE("a trunk is read like a column, by the slab and the time of whoever reads it, and stands once") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Trunk", "trunk", "test/trunk"));
    world.networks.back().provides = {{"trunk.features", "features"}, {"hidden", "features"}};
    world.networks.push_back(tenon::test::unit_of("OnTrunk", "value", "test/value"));
    const auto graph = world.objective("ReadsTrunk");
    REQUIRE(world.problems.empty());
    CHECK(count_op(graph, "tanh") == 3);  // live now, target next, live next
    std::vector<std::string> slabs;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
        const auto& node = graph.nodes[i];
        if (node.op->name == "parameter" && tenon::graph::string_attribute(node, "role") == "trunk") {
            slabs.push_back(tenon::graph::string_attribute(node, "slab"));
        }
    }
    CHECK(slabs == std::vector<std::string>{"live", "live", "target", "target"});
}

TEST_CASE("a column that a trunk might provide is among the names that are suggested") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Trunk", "trunk", "test/trunk"));
    world.networks.back().provides = {{"trunk.features", "features"}, {"hiden", "features"}};
    world.networks.push_back(tenon::test::unit_of("OnTrunk", "value", "test/value"));
    const auto unit = tenon::test::unit_of("OnTrunk", "value", "test/value");
    world.build(unit, "value", {tenon::graph::kLanes});
    REQUIRE(world.problems.size() == 1);
    CHECK(world.problems[0].sentence.find("did you mean 'hiden'?") != std::string::npos);
}

TEST_CASE("a state that calls move alike is written once, and a target's not at all") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Spectral", "value", "test/value"));
    const auto graph = world.objective("CallsEverywhere");
    CHECK(world.problems.empty());
    REQUIRE(graph.state_writes.size() == 1);
    CHECK(graph.state_writes[0].name == "value/0.weight_u");
    CHECK(count_op(graph, "state") == 2);  // the target reads its own
}

}  // namespace nodes_test
