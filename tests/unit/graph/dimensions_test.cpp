// SPDX-License-Identifier: Apache-2.0
// Leading dimensions that a graph makes: several draws a row, two batches at once, members by number and by rank.
#include "build_fixture.hpp"
#include "support/catch.hpp"

namespace dimensions_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::World;

namespace {

World with_ensemble(const char* author, std::int64_t members) {
    World world;
    world.networks.push_back(tenon::test::unit_of(author, "value", "test/value"));
    world.networks.back().members = members;
    return world;
}

}  // namespace

TEST_CASE("dimensions have the numbers of tenon/abi/graph.h, and a group's agents are no ensemble") {
    tenon::graph::Symbols symbols;
    const auto members = symbols.members_of("qvalue", 2);
    const auto agents = symbols.group("agents", 3);
    CHECK(members == TN_DIM_FIRST_DERIVED);
    CHECK(agents == TN_DIM_FIRST_GROUP);
    CHECK(symbols.group("others", 2) == TN_DIM_FIRST_GROUP - 1);
    CHECK(symbols.dimension("draws", 4) == TN_DIM_FIRST_MADE);
    CHECK((tenon::graph::is_ensemble(members) && !tenon::graph::is_ensemble(agents)));
    CHECK((tenon::graph::is_group(agents) && !tenon::graph::is_group(members)));
    // one name is one dimension
    CHECK(symbols.dimension("agents", 3) == agents);
    CHECK_FALSE(symbols.dimension("agents", 4).has_value());
    CHECK(symbols.text({tenon::graph::Kind::kReal, {members, agents, TN_DIM_FIRST_MADE, tenon::graph::kRows, 5}}) ==
          "real [M(qvalue), A(agents), D(draws), B, 5]");
}

TEST_CASE("draws, both batches and members come and leave by name") {
    World world = with_ensemble("ModeCritic", 3);
    const auto graph = world.objective("Dimensions");
    for (const auto& problem : world.problems) {
        UNSCOPED_INFO(problem.sentence);
    }
    REQUIRE(world.problems.empty());
    REQUIRE(graph.losses.size() == 5);
    for (const auto& loss : graph.losses) {
        CHECK(graph.symbols.text(graph.type(loss.value)) == "real [B]");
    }
    const std::string text = tenon::graph::text(graph, tenon::graph::Places::kLeftOut);
    CHECK_THAT(text, ContainsSubstring("real [D(draws), B, 4]"));
    CHECK_THAT(text, ContainsSubstring("real [M(value), D(both), B"));
}

TEST_CASE("a network's function knows whether it is built for an update or to be used") {
    World world = with_ensemble("ModeCritic", 3);
    const auto graph = world.objective("Dimensions");
    CHECK(tenon::test::count_op(graph, "mul") == 1);  // of two calls, one by eval()
}

TEST_CASE("dimensions that do not exist, do not fit or are ambiguous") {
    World world = with_ensemble("Critic", 3);
    world.objective("WrongDimensions");
    const std::vector<std::string> wanted = {
        "spread: another dimension 'draws' has a different size, and this one has 4; give it another name",
        "spread: it already has the dimension 'draws': x, real [D(draws), B, 4]",
        "pick: it picks number 3, and 'draws' has numbers 0 to 2",
        "pick: there is no dimension 'members' in x, real [D(draws), B, 4]",
        "collect: it needs the members of an ensemble or a dimension made by spread or stack, but this is x",
        "stack: stacked values must have the same kind and sizes, but these are real [B, 4] and real [B]",
        "it takes the smallest 4 of 'value', which is an ensemble of 3",
        "pick: it must name its dimension with `of`, because this is x, real [M(value), D(draws), B]",
        "transpose: it transposes the last two sizes, but this is x, real [B, 4]"};
    REQUIRE(world.problems.size() >= wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK_THAT(world.problems[i].sentence, ContainsSubstring(wanted[i]));
    }
}

}  // namespace dimensions_test
