// SPDX-License-Identifier: Apache-2.0
// Functions of networks in place of columns.
#include <algorithm>
#include <string_view>

#include "build_fixture.hpp"
#include "support/catch.hpp"

namespace stand_ins_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using tenon::test::count_op;
using tenon::test::World;

namespace {

World judged_by(const char* function, std::string key = "next.reward") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Judge", "judge", "test/judge"));
    world.stand_ins.push_back({.key = std::move(key), .role = "judge", .function = function});
    return world;
}

// A judge of three agents, or of none.
World judged_in_group(const char* function, std::string key, const char* group = "agents") {
    World world = judged_by(function, std::move(key));
    world.networks.front().group = group;
    world.groups = {{"agents", 3}};
    world.add("agents.observation", SpecKind::kUnbounded, DType::kF32, {3, 4});
    world.add("next.agents.observation", SpecKind::kUnbounded, DType::kF32, {3, 4});
    world.add("next.agents.reward", SpecKind::kUnbounded, DType::kF32, {3});
    for (graph::Column& column : world.columns) {
        if (column.spec.key.find("agents.") != std::string::npos) {
            column.spec.group = "agents";
        }
    }
    return world;
}

graph::Unit of_agents(const char* author) {
    graph::Unit unit = tenon::test::unit_of(author, "objective", "test/objective");
    unit.group = "agents";
    return unit;
}

std::string written(const graph::Graph& graph, std::string_view key) {
    const auto found = std::ranges::find(graph.writes, key, &graph::Named::name);
    return found == graph.writes.end() ? "" : graph.symbols.text(graph.type(found->value));
}

std::size_t reads(const graph::Graph& graph, std::string_view key) {
    return static_cast<std::size_t>(std::count_if(graph.nodes.begin() + 1, graph.nodes.end(), [&](const auto& node) {
        return node.op->name == "column" && graph::string_attribute(node, "key") == key;
    }));
}

}  // namespace

TEST_CASE("a stand-in is computed once, without a gradient, and may read the stored column and next.") {
    World world = judged_by("reward");
    const graph::Graph graph = world.objective("ReadsReward");
    REQUIRE(world.problems.empty());
    CHECK(count_op(graph, "linear") == 1);
    CHECK(count_op(graph, "stop_gradient") == 1);
    CHECK(reads(graph, "next.observation") == 1);
    CHECK(reads(graph, "next.reward") == 1);  // as stored.next.reward
    CHECK(world.stood_in == std::set<std::string>{"next.reward"});
    CHECK(world.declared == std::vector<std::string>{"judge/0.weight", "judge/0.bias"});
}

TEST_CASE("an episode is done where the stand-in of its end says so, which may read another stand-in") {
    World world = judged_by("ends", "next.terminated");
    world.add("next.truncated", SpecKind::kBinary, DType::kBool, {});
    world.stand_ins.push_back({.key = "next.reward", .role = "judge", .function = "reward"});
    const graph::Graph graph = world.objective("ReadsReward");
    REQUIRE(world.problems.empty());
    CHECK(count_op(graph, "or") == 1);
    CHECK(reads(graph, "next.done") == 0);
    CHECK(reads(graph, "next.terminated") == 0);
    CHECK(reads(graph, "next.truncated") == 1);
    CHECK(count_op(graph, "linear") == 1);
}

TEST_CASE("a column that is not stored can have a stand-in") {
    World world = judged_by("reward");
    std::erase_if(world.columns, [](const graph::Column& column) { return column.spec.key == "next.done"; });
    world.stand_ins.push_back({.key = "next.done", .role = "judge", .function = "ends"});
    const graph::Graph graph = world.objective("ReadsReward");
    CHECK(world.problems.empty());
    CHECK(world.stood_in == std::set<std::string>{"next.done", "next.reward"});
}

TEST_CASE("a function cannot read the column that it stands in for") {
    World world = judged_by("itself");
    world.objective("ReadsReward");
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems.front().sentence,
               ContainsSubstring("it reads 'next.reward', for which judge.itself stands in, and judge.itself is what "
                                 "is being computed; it can read the stored column, 'stored.next.reward'"));
}

TEST_CASE("a stand-in has the type of the stored column") {
    World world = judged_by("level");
    world.objective("ReadsReward");
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems.front().sentence,
               ContainsSubstring("judge.level stands in for 'next.reward' as real [B, 4], but the column is real [B]"));
}

TEST_CASE("each agent of a group reads its own value of what stands in for a column of the group") {
    for (const char* const key : {"next.agents.reward", "next.reward"}) {
        CAPTURE(key);
        World world = judged_in_group("reward", key);
        const graph::Graph graph = world.build(of_agents("ReadsReward"));
        REQUIRE(world.problems.empty());
        CHECK(count_op(graph, "linear") == 1);
        CHECK(count_op(graph, "stop_gradient") == 1);
        CHECK(reads(graph, "next.agents.reward") == 1);  // as stored.next.reward
        CHECK(reads(graph, "next.reward") == 0);
        CHECK(world.stood_in == std::set<std::string>{key});
        CHECK(written(graph, "agents.reward") == "real [B, 3]");
        const auto judged = std::ranges::find_if(
            graph.nodes, [](const graph::Node& node) { return node.is(graph::OpId::kStopGradient_1); });
        CHECK(graph.symbols.text(graph.type(judged->first_output)) == "real [A(agents), B]");
    }
}

TEST_CASE("a network of no group may stand in for the column of a group") {
    World world = judged_in_group("team", "next.agents.reward", "");
    const graph::Graph graph = world.build(of_agents("ReadsReward"));
    REQUIRE(world.problems.empty());
    CHECK(count_op(graph, "stop_gradient") == 1);
    CHECK(written(graph, "agents.reward") == "real [B, 3]");
}

TEST_CASE("units outside of a group read what stands in for its column with the agents as a size") {
    for (const char* const group : {"agents", ""}) {
        CAPTURE(group);
        World world = judged_in_group(*group == 0 ? "team" : "reward", "next.agents.reward", group);
        const graph::Graph graph = world.objective("ReadsTeam");
        REQUIRE(world.problems.empty());
        CHECK(count_op(graph, "stop_gradient") == 1);
        CHECK(written(graph, "all") == "real [B, 3]");
    }
}

TEST_CASE("the rows of absent agents are zeros in a stand-in, too") {
    World world = judged_in_group("reward", "next.reward");
    world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
    world.columns.back().spec.group = "agents";
    const std::size_t with = count_op(world.build(of_agents("ReadsReward")), "where");
    world.stand_ins.clear();
    CHECK(count_op(world.build(of_agents("ReadsReward")), "where") == 1);
    CHECK(with == 3);  // the judge's observation and stored reward, and what it makes of them
    CHECK(world.problems.empty());
}

TEST_CASE("an agent ends where the stand-in of its end says so") {
    World world = judged_in_group("ends", "next.agents.terminated");
    const graph::Graph graph = world.build(of_agents("ReadsReward"));
    REQUIRE(world.problems.empty());
    CHECK(world.stood_in == std::set<std::string>{"next.agents.terminated"});
    CHECK(written(graph, "agents.done") == "bool [B, 3]");
    CHECK(reads(graph, "next.done") == 1);  // of the lane
}

TEST_CASE("a stand-in has the type of what each agent reads") {
    World world = judged_in_group("level", "next.agents.reward");
    world.build(of_agents("ReadsReward"));
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems.front().sentence,
               ContainsSubstring("judge.level stands in for 'next.agents.reward' as real [A(agents), B, 4], but the "
                                 "column is real [A(agents), B]"));
    World central = judged_in_group("reward", "next.reward");
    central.objective("ReadsReward");
    REQUIRE_FALSE(central.problems.empty());
    CHECK_THAT(central.problems.front().sentence,
               ContainsSubstring("judge.reward stands in for 'next.reward' as real [A(agents), B], but the column is "
                                 "real [B]"));
}

TEST_CASE("a network that remembers may read a stand-in, which is of all steps") {
    World world = judged_by("level", "observation");
    world.add("is_init", SpecKind::kBinary, DType::kBool, {});
    world.add("value.hidden", SpecKind::kUnbounded, DType::kF32, {2});
    world.networks.push_back(tenon::test::unit_of("Recurrent", "value", "test/value"));
    const graph::Graph graph = world.build(tenon::test::unit_of("OverSteps", "objective", "test/objective"), "update",
                                           {graph::kTime, graph::kLanes});
    REQUIRE(world.problems.empty());
    const auto gradient = std::ranges::find_if(
        graph.nodes, [](const graph::Node& node) { return node.op != nullptr && node.op->name == "stop_gradient"; });
    REQUIRE(gradient != graph.nodes.end());
    CHECK(gradient->region == 0);
    CHECK(graph.symbols.text(graph.type(gradient->first_output)) == "real [T, L, 4]");
}

}  // namespace stand_ins_test
