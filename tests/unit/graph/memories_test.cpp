// SPDX-License-Identifier: Apache-2.0
// Networks that remember: written as one step, put into a scan over sequences by the builder.
#include <algorithm>

#include "build_fixture.hpp"
#include "compute/graph/dependence.hpp"
#include "in_c.hpp"
#include "support/catch.hpp"

namespace memories_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using tenon::test::World;

namespace {

const std::vector<graph::Dim> kSequences = {graph::kTime, graph::kLanes};

World world_of(const char* network, bool remembered = true) {
    World world;
    world.add("is_init", SpecKind::kBinary, DType::kBool, {});
    if (remembered) {
        world.add("value.hidden", SpecKind::kUnbounded, DType::kF32, {2});
    }
    world.networks.push_back(tenon::test::unit_of(network, "value", "test/value"));
    return world;
}

graph::Graph objective(World& world, const char* author, const std::vector<graph::Dim>& leading = kSequences) {
    return world.build(tenon::test::unit_of(author, "objective", "test/objective"), "update", leading);
}

std::string only_problem(World& world) {
    REQUIRE(world.problems.size() == 1);
    return world.problems.front().sentence;
}

}  // namespace

TEST_CASE("acting reads and writes the lane's column, with zeros where an episode begins") {
    World world = world_of("Recurrent", false);
    const graph::Graph graph = world.build(world.networks.front(), "value", {graph::kLanes});
    REQUIRE(world.problems.empty());
    REQUIRE(graph.memories.size() == 1);
    CHECK(graph.memories.front().key == "value.hidden");
    CHECK(graph.memories.front().shape == std::vector<std::int64_t>{2});
    REQUIRE(graph.remembered.size() == 1);
    CHECK(graph.symbols.text(graph.type(graph.remembered.front().value)) == "real [L, 2]");
    CHECK_THAT(graph::text(graph, graph::Places::kLeftOut), ContainsSubstring("where/1"));
}

TEST_CASE("a history of one row is the row, and nothing is remembered") {
    World world;
    tenon::test::AuthorInC author([](const tenon::test::InC& c) {
        using namespace tenon::test;
        c.emit_many("history", {c.column("observation")}, {text_in_c("name", "seen"), int_in_c("window", 1)}, 2);
    });
    const graph::Graph graph = world.build(author.unit(), "update", {graph::kRows});
    REQUIRE(world.problems.empty());
    const auto rows = std::ranges::find_if(
        graph.nodes, [](const graph::Node& node) { return node.op != nullptr && node.op->name == "unsqueeze"; });
    REQUIRE(rows != graph.nodes.end());
    CHECK(graph.symbols.text(graph.type(rows->first_output)) == "real [B, 1, 4]");
    CHECK(graph.memories.empty());
}

TEST_CASE("what a trunk draws for its readers it draws once, and remembers that") {
    World world = world_of("DrawingTrunk", false);
    world.networks = {tenon::test::unit_of("DrawingTrunk", "trunk", "test/trunk")};
    world.networks.back().provides = {{"trunk.features", "features"}};
    const graph::Graph graph =
        world.build(tenon::test::unit_of("ActsOnTrunk", "actor", "test/actor"), "sample", {graph::kLanes});
    CHECK(world.problems.empty());
    REQUIRE(graph.remembered.size() == 1);
    const auto draws =
        std::count_if(graph.nodes.begin() + 1, graph.nodes.end(), [](const auto& node) { return node.op->random; });
    CHECK(draws == 1);
}

TEST_CASE("what acts is what is remembered, if one function of a model is read and another one steps it") {
    World world = world_of("DrawingModel", false);
    world.networks = {tenon::test::unit_of("DrawingModel", "trunk", "test/model")};
    world.networks.back().provides = {{"trunk.features", "features"}};
    const graph::Context context{.program = "acting",
                                 .leading = {graph::kLanes},
                                 .columns = &world.columns,
                                 .networks = &world.networks,
                                 .declare = [](const graph::ParameterRequest&) { return Status(); },
                                 .take_error = [] { return std::string(); }};
    for (const bool shared : {true, false}) {
        graph::Builder builder(context, world.problems);
        const graph::ValueId action =
            builder.build(tenon::test::unit_of("ActsOnTrunk", "actor", "test/actor"), "sample", {}, "act").front();
        builder.build(world.networks.back(), "step", std::span(&action, 1), "act",
                      shared ? graph::Builder::Draws::kShared : graph::Builder::Draws::kOwn);
        CHECK(world.problems.empty());
        const graph::Graph graph = builder.take();
        REQUIRE(graph.remembered.size() == 1);
        CHECK((graph.remembered.front().value == action) == shared);
        const auto draws =
            std::count_if(graph.nodes.begin() + 1, graph.nodes.end(), [](const auto& node) { return node.op->random; });
        CHECK(draws == (shared ? 2 : 3));  // the step's own among them
    }
}

TEST_CASE("whether a function remembers more is asked with inputs of the type that it will have") {
    World world = world_of("DrawingTrunk", false);
    const graph::Unit trunk = tenon::test::unit_of("DrawingTrunk", "trunk", "test/trunk");
    const graph::Context context{.program = "acting",
                                 .leading = {graph::kLanes},
                                 .columns = &world.columns,
                                 .networks = &world.networks,
                                 .declare = [](const graph::ParameterRequest&) { return Status(); },
                                 .take_error = [] { return std::string(); }};
    graph::Builder builder(context, world.problems);
    const graph::ValueId seen = builder.read_column("observation");  // of the sizes of an action
    CHECK(builder.remembers_more(trunk, "features", {}));
    CHECK(builder.remembers_more(trunk, "ahead", std::span(&seen, 1)));  // whose author asks for a size of it
    builder.build(trunk, "features", {}, "act");
    CHECK_FALSE(builder.remembers_more(trunk, "features", {}));
    CHECK_FALSE(builder.remembers_more(trunk, "ahead", std::span(&seen, 1)));
    CHECK(world.problems.empty());
}

TEST_CASE("over sequences the function stands in a scan that carries the memory and resets it") {
    World world = world_of("Recurrent");
    const graph::Graph graph = objective(world, "OverSteps");
    REQUIRE(world.problems.empty());
    CHECK(tenon::test::count_op(graph, "scan") == 1);  // both calls share it
    for (std::size_t i = 1; i < graph.regions.size(); ++i) {
        CHECK(graph.regions[i].scan);
        CHECK(graph.regions[i].carries == 1);
        CHECK(graph.regions[i].reset == 1);
        CHECK(graph.regions[i].arguments.size() == 3);  // hidden, is_init, observation
    }
    for (const graph::Loss& loss : graph.losses) {
        CHECK(graph.symbols.text(graph.type(loss.value)) == "real [T, L]");
    }
    CHECK(graph.memories.empty());
}

TEST_CASE("what does not lead to a memory is computed outside, for all steps at once") {
    World world = world_of("Recurrent");
    const graph::Graph graph = objective(world, "OverStepsWithInput");
    REQUIRE(world.problems.empty());
    REQUIRE(graph.regions.size() == 2);
    CHECK(graph.regions[1].arguments.size() == 3);  // hidden, is_init, observation; the reward meets it outside
}

TEST_CASE("an argument that the scan had no use for stands for nothing") {
    World world = world_of("Recurrent");
    const graph::Graph graph = objective(world, "OverStepsWithInput");
    REQUIRE(world.problems.empty());
    int dropped = 0;
    for (graph::NodeId id = 1; id < graph.nodes.size(); ++id) {
        std::vector<graph::ValueId> read;
        graph::for_each_read(graph, id, [&](graph::ValueId value) { read.push_back(value); });
        CHECK(std::ranges::all_of(read, [&](graph::ValueId value) { return value < graph.values.size(); }));
        dropped += graph.nodes[id].op->name == "argument" && read.empty() ? 1 : 0;
    }
    CHECK(dropped == 1);  // the reward
}

TEST_CASE("what is remembered need not depend on the memory") {
    World world = world_of("Delayed", false);
    world.add("value.seen", SpecKind::kUnbounded, DType::kF32, {4});
    const graph::Graph graph = objective(world, "OverSteps");
    for (const Problem& problem : world.problems) {
        UNSCOPED_INFO(problem.sentence);
    }
    CHECK(world.problems.empty());
    for (const graph::Loss& loss : graph.losses) {
        CHECK(graph.symbols.text(graph.type(loss.value)) == "real [T, L]");
    }
}

TEST_CASE("an ensemble cannot remember, and sizes of memories are sizes") {
    World world = world_of("Recurrent");
    world.networks.front().members = 2;
    world.build(world.networks.front(), "value", {graph::kLanes});
    CHECK_THAT(only_problem(world), ContainsSubstring("an ensemble cannot remember 'hidden'"));
}

TEST_CASE("what remembers cannot learn from single frames, needs its column and must remember") {
    {
        World world = world_of("Recurrent");
        objective(world, "OverSteps", {graph::kRows});
        CHECK_THAT(only_problem(world),
                   ContainsSubstring("it remembers 'hidden', but this run learns from single frames; learn from "
                                     "sequences: train.shuffle = \"lanes\" or \"slices\""));
    }
    {
        World world = world_of("Recurrent", false);
        objective(world, "OverStepsWithInput");
        CHECK_THAT(only_problem(world), ContainsSubstring("[policy.value] is test/value, which remembers from step to "
                                                          "step, but there is no column 'value.hidden' to start from"));
    }
    {
        World world = world_of("Forgetful");
        objective(world, "OverSteps");
        REQUIRE(world.problems.size() == 2);  // of either call
        CHECK_THAT(world.problems.front().sentence,
                   ContainsSubstring("memory 'value.hidden' is read, but never remembered"));
    }
    {
        World world = world_of("Recurrent");
        objective(world, "Both");
        CHECK_THAT(only_problem(world),
                   ContainsSubstring("value remembers from step to step, so it cannot read two batches at once"));
    }
}

}  // namespace memories_test
