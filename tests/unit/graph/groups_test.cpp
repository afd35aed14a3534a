// SPDX-License-Identifier: Apache-2.0
// Components that are written for one agent, in programs for all agents of a group.
#include <algorithm>

#include "build_fixture.hpp"
#include "support/catch.hpp"

namespace groups_test {

using Catch::Matchers::ContainsSubstring;
using tenon::DType;
using tenon::SpecKind;
using tenon::test::World;

namespace {

World with_agents() {
    World world;
    world.columns.clear();
    world.groups = {{"agents", 3}};
    world.add("agents.observation", SpecKind::kUnbounded, DType::kF32, {3, 4});
    world.add("agents.action", SpecKind::kCategorical, DType::kI64, {3}, {5});
    world.add("next.agents.reward", SpecKind::kUnbounded, DType::kF32, {3});
    world.add("next.terminated", SpecKind::kBinary, DType::kBool, {});
    world.add("observation", SpecKind::kUnbounded, DType::kF32, {4});  // of all agents, which theirs comes before
    world.networks.push_back(tenon::test::unit_of("Critic", "value", "test/value"));
    return world;
}

tenon::graph::Unit objective_of(const char* group, const char* author = "OfAgents") {
    tenon::graph::Unit unit = tenon::test::unit_of(author, "objective", "test/objective");
    unit.group = group;
    unit.own = unit.group == "agents";
    return unit;
}

std::vector<std::string> streams_of(const tenon::graph::Graph& graph) {
    std::vector<std::string> out;
    for (const tenon::graph::Node& node : graph.nodes) {
        if (node.op != nullptr && node.op->random) {
            out.push_back(tenon::graph::string_attribute(node, "stream"));
        }
    }
    return out;
}

std::string text_of(const tenon::graph::Graph& graph) {
    return tenon::graph::text(graph, tenon::graph::Places::kLeftOut);
}

}  // namespace

TEST_CASE("a component of a group reads, learns and writes for each agent") {
    World world = with_agents();
    const auto update = world.build(objective_of("agents"));
    for (const auto& problem : world.problems) {
        UNSCOPED_INFO(problem.sentence);
    }
    REQUIRE(world.problems.empty());
    const std::string text = text_of(update);
    CHECK_THAT(text, ContainsSubstring("real [A(agents), B, 4]"));
    CHECK_THAT(text, ContainsSubstring("real [A(agents), 4]"));  // the parameter of each
    // the loss and the priority of a row are the mean over its agents
    REQUIRE(update.losses.size() == 1);
    CHECK(update.symbols.text(update.type(update.losses[0].value)) == "real [B]");
    REQUIRE(update.writes.size() == 1);
    CHECK(update.writes[0].name == "priority");
    CHECK(update.symbols.text(update.type(update.writes[0].value)) == "real [B]");

    const auto prepare = world.build(objective_of("agents"), "prepare", {tenon::graph::kTime, tenon::graph::kLanes});
    REQUIRE(prepare.writes.size() == 1);
    CHECK(prepare.writes[0].name == "agents.advantage");
    CHECK(prepare.symbols.text(prepare.type(prepare.writes[0].value)) == "real [T, L, 3]");
}

TEST_CASE("a network of a group has parameters of all agents together, or of each") {
    World world = with_agents();
    world.networks[0].group = "agents";
    world.build(objective_of("agents"));
    CHECK(world.problems.empty());
    world.networks[0].own = true;
    const auto own = world.build(objective_of("agents"));
    CHECK(world.problems.empty());
    for (const auto& node : own.nodes) {
        if (node.op != nullptr && node.op->name == "parameter") {
            CHECK(own.type(node.first_output).has(TN_DIM_FIRST_GROUP));
        }
    }
}

TEST_CASE("roles of an objective are the networks that it names for them, in calls, stages and dimensions") {
    World world = with_agents();
    world.networks = {tenon::test::unit_of("Critic", "value", "test/value"),
                      tenon::test::unit_of("Critic", "mine", "test/value"),
                      tenon::test::unit_of("Critic", "yours", "test/value")};
    world.networks[1].members = 2;
    tenon::graph::Unit objective = objective_of("", "OfRoles");
    objective.networks = {{"value", "mine"}, {"other", "yours"}};
    const auto update = world.build(objective);
    REQUIRE(world.problems.empty());
    REQUIRE(update.stages.size() == 1);
    CHECK(update.stages[0].owns == std::vector<std::string>{"mine", "yours"});
    CHECK(std::ranges::find(world.declared, "value/0.weight") == world.declared.end());
    CHECK(std::ranges::find(world.declared, "mine/0.weight") != world.declared.end());
    CHECK(world.called == std::set<std::string>{"objective.value", "objective.other"});
}

TEST_CASE("an objective calls networks of one group") {
    World world = with_agents();
    world.groups.push_back({"prey", 2});
    world.add("prey.observation", SpecKind::kUnbounded, DType::kF32, {2, 4});
    world.networks = {tenon::test::unit_of("Critic", "value", "test/value"),
                      tenon::test::unit_of("Critic", "other", "test/value")};
    world.networks[0].group = "prey";
    world.networks[1].group = "agents";
    world.build(objective_of("agents"));
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("it calls [policy.value], which is of the group 'prey', but the objective is of the "
                                 "group 'agents'"));
    world.problems.clear();
    world.networks[0].members = 2;
    world.build(objective_of("", "OfRoles"));
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("it calls [policy.other], which is of the group 'agents', but [policy.value] is of "
                                 "the group 'prey'"));
}

TEST_CASE("two units of one component draw different numbers in a program") {
    World world = with_agents();
    world.networks = {tenon::test::unit_of("Noisy", "one", "test/draws"),
                      tenon::test::unit_of("Noisy", "two", "test/draws")};
    tenon::graph::Builder both(world.context("acting"), world.problems);
    both.build(world.networks[0], "sample", {}, "act");
    both.build(world.networks[1], "sample", {}, "act");
    CHECK(streams_of(both.graph()) ==
          std::vector<std::string>{"test/draws.sample/noise", "test/draws.sample@two/noise"});
    CHECK(streams_of(world.build(world.networks[1], "sample")) == std::vector<std::string>{"test/draws.sample/noise"});
}

TEST_CASE("a network of a group remembers for each agent, and nothing where an agent is absent") {
    World world = with_agents();
    world.add("is_init", SpecKind::kBinary, DType::kBool, {});
    world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
    world.networks[0] = tenon::test::unit_of("Recurrent", "value", "test/value");
    world.networks[0].group = "agents";
    const auto acting = world.build(world.networks[0], "value", {tenon::graph::kLanes});
    REQUIRE(world.problems.empty());
    REQUIRE(acting.memories.size() == 1);
    CHECK(acting.memories[0].key == "agents.value.hidden");
    CHECK(acting.memories[0].shape == std::vector<std::int64_t>{3, 2});
    REQUIRE(acting.remembered.size() == 1);
    const auto& last = acting.node_of(acting.remembered[0].value);
    CHECK(acting.symbols.text(acting.type(acting.remembered[0].value)) == "real [A(agents), L, 2]");
    CHECK(last.is(tenon::graph::OpId::kWhere_1));  // present, or zeros

    world.add("agents.value.hidden", SpecKind::kUnbounded, DType::kF32, {3, 2});
    world.add("next.agents.observation", SpecKind::kUnbounded, DType::kF32, {3, 4});
    const auto update =
        world.build(objective_of("agents", "OverSteps"), "update", {tenon::graph::kTime, tenon::graph::kLanes});
    REQUIRE(world.problems.empty());
    REQUIRE(update.regions.size() > 1);
    CHECK(update.regions[1].carries == 1);
    CHECK(update.symbols.text(update.type(update.regions[1].inputs[0])) == "real [A(agents), L, 2]");
}

TEST_CASE("what is not of the group is told where its columns are") {
    World world = with_agents();
    world.build(objective_of(""), "prepare", {tenon::graph::kTime, tenon::graph::kLanes});
    REQUIRE(!world.problems.empty());
    const auto said = [&](const std::string& part) {
        return std::ranges::any_of(world.problems,
                                   [&](const auto& p) { return p.sentence.find(part) != p.sentence.npos; });
    };
    CHECK(
        said("there is no column 'next.reward' in the prepare program; each agent of the group 'agents' has one: set "
             "group = \"agents\" in [objective]"));
}

TEST_CASE("where agents come and go, losses are of those who are present and priorities the mean over them") {
    World world = with_agents();
    const std::string before = text_of(world.build(objective_of("agents")));
    CHECK_THAT(before, !ContainsSubstring("where"));
    world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
    const auto update = world.build(objective_of("agents"));
    REQUIRE(world.problems.empty());
    REQUIRE(update.losses.size() == 1);
    CHECK(update.symbols.text(update.type(update.losses[0].value)) == "real [A(agents), B]");
    CHECK(update.symbols.text(update.type(update.losses[0].present)) == "bool [A(agents), B]");
    CHECK_THAT(text_of(update), ContainsSubstring("rows \"error\" %") && ContainsSubstring(" where %"));
    CHECK(update.symbols.text(update.type(update.writes[0].value)) == "real [B]");
}

TEST_CASE("whoever sees all agents sees zeros for those who are absent") {
    World world = with_agents();
    for (const bool leave : {false, true}) {
        if (leave) {
            world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
        }
        for (auto& column : world.columns) {
            column.spec.group = column.spec.key.starts_with("agents.") ? "agents" : "";
        }
        const std::string text = text_of(world.build(objective_of("", "SeesAll")));
        REQUIRE(world.problems.empty());
        CHECK((text.find("ungroup") != text.npos) == leave);
        CHECK_THAT(text, ContainsSubstring("real [B, 3, 4]"));
    }
}

TEST_CASE("an absent agent adds nothing to a sum over agents") {
    World world = with_agents();
    world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
    const auto update = world.build(objective_of("agents", "Team"));
    REQUIRE(world.problems.empty());
    const auto collect = std::ranges::find_if(
        update.nodes, [](const auto& node) { return node.op != nullptr && node.op->name == "collect"; });
    REQUIRE(collect != update.nodes.end());
    CHECK(update.node_of(collect->inputs[0]).op->name == "where");
}

TEST_CASE("a quantile over agents that come and go is refused") {
    World world = with_agents();
    world.build(objective_of("agents", "Median"));
    CHECK(world.problems.empty());
    world.add("agents.present", SpecKind::kBinary, DType::kBool, {3});
    world.build(objective_of("agents", "Median"));
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("batch_quantile is not possible over agents that come and go: 'agents.present' says "
                                 "who takes part in a row"));
}

}  // namespace groups_test
