// SPDX-License-Identifier: Apache-2.0
// What authors write with the SDK's functions: how it may be spelled, and whom the host blames for a mistake in it.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "build_fixture.hpp"
#include "sdk_authors.hpp"
#include "support/catch.hpp"

namespace sdk_test {

using Catch::Matchers::ContainsSubstring;
using tenon::graph::Graph;
using tenon::test::count_op;
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

// A network with the function "value".
tenon::graph::Unit critic(const char* role, std::int64_t members) {
    tenon::graph::Unit unit = tenon::test::unit_of("ModeCritic", role, "test/critic");
    unit.members = members;
    return unit;
}

}  // namespace

TEST_CASE("a number of any arithmetic type goes with a value") {
    World world;
    const Graph graph = built(world, "Numbers");
    CHECK(count_op(graph, "mul") == 2);  // 3 * x and x * 3
    CHECK(count_op(graph, "constant") == 2);
}

TEST_CASE("operators and functions need no namespace where an operand is a value") {
    World world;
    const Graph graph = built(world, "OneByOne");
    CHECK(written(graph, "two") == "real [B, 8]");
    CHECK(written(graph, "three") == "real [B, 12]");
    CHECK(written(graph, "of_a_list") == "real [B, 8]");
    for (const char* name : {"eq", "ne", "lt"}) {
        CHECK(written(graph, name) == "bool [B, 4]");
        CHECK(count_op(graph, name) == 1);
    }
    for (const char* name : {"and", "or", "not"}) {
        CHECK(written(graph, name) == "bool [B]");
        CHECK(count_op(graph, name) == 1);
    }
    CHECK(written(graph, "sorted") == "real [B, 4]");
}

TEST_CASE("a shape may be known when the plugin runs, and no sooner") {
    World world;
    const Graph graph = built(world, "Shapes");
    CHECK(written(graph, "square") == "real [B, 2, 2]");
    CHECK(written(graph, "row") == "real [B, 1, 4]");
    CHECK(written(graph, "none") == "real [B]");
    CHECK(written(graph, "state") == "real [2, 2]");
    CHECK(written(graph, "weight") == "real [2, 2]");
}

TEST_CASE("sizes are permuted, cut and joined anywhere") {
    World world;
    const Graph graph = built(world, "AnySize");
    CHECK(written(graph, "permuted") == "real [B, 2, 1, 2]");
    CHECK(written(graph, "transposed") == "real [B, 2, 2, 1]");
    CHECK(written(graph, "sliced") == "real [B, 1, 1, 2]");
    CHECK(written(graph, "joined") == "real [B, 3, 2, 2]");
    CHECK(written(graph, "beside") == "real [B, 1, 2, 4]");
    CHECK(written(graph, "heads") == "real [D(heads), B, 1, 2, 2]");
}

TEST_CASE("what cannot be permuted, cut or joined is refused with what it is") {
    World world;
    world.objective("AnySizeWrong");
    REQUIRE(world.problems.size() == 6);
    const auto says = [&](std::size_t i, const char* what) {
        CHECK_THAT(world.problems[i].sentence, ContainsSubstring(what));
    };
    says(0, "permute: the order is [-1, -1], but it must name each size of x, real [B, 2, 2], once, counted from -1");
    says(1, "slice: axis -3 does not exist: x, real [B, 2, 2], has 2 sizes");
    says(2, "concat: axis 0 is no size, counted from -1 at the end, of parts[0], real [B, 2, 2]");
    says(3,
         "concat: parts[0] is real [B, 2, 2] and parts[1] is real [B, 4, 1], whose shapes do not match: 2 against 4");
    says(4, "uncollect: there is no dimension that the one has and the other lacks: like, real [B, 2, 2], and x, real");
    says(5, "uncollect: the last size of x, real [B, 2, 2], must be 3, as large as 'three'");
}

TEST_CASE("an objective is written once for ensembles of any count") {
    for (const std::int64_t members : {1, 3}) {
        CAPTURE(members);
        World world;
        world.networks.push_back(critic("value", members));
        const Graph graph = built(world, "AnyCount");
        for (const char* name : {"least", "most", "mean", "sum", "first"}) {
            CHECK(written(graph, name) == "real [B]");
        }
        CHECK(written(graph, "all") == "real [B, " + std::to_string(members) + "]");
        CHECK(count_op(graph, "min_members") == (members > 1 ? 1 : 0));
    }
}

TEST_CASE("what derives from ActorCritic calls the SDK's mean") {
    World world;
    CHECK(count_op(built(world, "DerivedMean"), "mean") == 1);
}

TEST_CASE("a constant has the sizes that are asked for, and the rows of a value") {
    World world;
    const Graph graph = built(world, "Filled");
    CHECK(written(graph, "alone") == "real [2, 3]");
    CHECK(written(graph, "no_size") == "real");
    CHECK(written(graph, "by_row") == "real [B, 2, 3]");
    CHECK(written(graph, "by_flag") == "real [B, 3]");
    CHECK(written(graph, "of_each") == "real [B]");
}

TEST_CASE("normalisations take values of several sizes") {
    World world;
    const Graph graph = built(world, "Norms");
    CHECK(written(graph, "layer") == "real [B, 2, 2]");
    CHECK(written(graph, "renorm") == "real [B, 2, 2]");
}

TEST_CASE("an index that does not fit what it chooses from is refused with both") {
    World world;
    world.add("choice", tenon::SpecKind::kCategorical, tenon::DType::kI64, {}, {2});
    world.add("choices", tenon::SpecKind::kMultiCategorical, tenon::DType::kI64, {3, 1}, {2, 2, 2});
    world.objective("WrongIndices");
    REQUIRE(world.problems.size() == 3);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring(
                   "take_along: an index must have as many sizes as the value that it selects from; these are x, "
                   "real [B, 4], and index, int [B]"));
    CHECK_THAT(world.problems[1].sentence,
               ContainsSubstring("take_along: an index of int [B, 3, 1] cannot select from real [B, 2, 2] along axis "
                                 "-1: their other sizes do not line up"));
    CHECK_THAT(world.problems[2].sentence,
               ContainsSubstring("argsort: axis -2 does not exist: x, real [B, 4], has 1 size"));
}

TEST_CASE("gae in update is blamed on the author's line, with what to do") {
    World world;
    world.objective("GaeInUpdate");
    REQUIRE(world.problems.size() == 1);
    const tenon::Problem& problem = world.problems[0];
    CHECK_THAT(problem.sentence,
               ContainsSubstring("test/objective, update: gae: scan_linear: it runs over time, but x, real [B], does "
                                 "not: estimators such as gae belong in an objective's prepare"));
    CHECK_THAT(problem.place.file, ContainsSubstring("sdk_authors.cpp"));
    CHECK(problem.place.line == tenon::test::mistaken_lines().at("gae in update"));
}

TEST_CASE("a mistake in a call of the SDK is the author's, on his line") {
    World world;
    tenon::Spec& action = world.columns[1].spec;
    REQUIRE(action.key == "action");
    action.kind = tenon::SpecKind::kBounded;
    action.dtype = tenon::DType::kF32;
    action.low = {-1};
    action.high = {1};
    world.networks.push_back(critic("qvalue", 1));  // which has neither "q" nor "values"
    world.objective("Mistaken");
    std::set<unsigned> blamed;
    for (const tenon::Problem& problem : world.problems) {
        CAPTURE(problem.sentence, problem.place.file, problem.place.line);
        CHECK_THAT(problem.place.file, ContainsSubstring("sdk_authors.cpp"));
        blamed.insert(problem.place.line);
    }
    std::set<unsigned> expected;
    for (const auto& [function, line] : tenon::test::mistaken_lines()) {
        if (function != "gae in update") {
            CAPTURE(function, line);
            CHECK(blamed.contains(line));
            expected.insert(line);
        }
    }
    CHECK(blamed == expected);
}

}  // namespace sdk_test
