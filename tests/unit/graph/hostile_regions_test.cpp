// SPDX-License-Identifier: Apache-2.0
// Regions that are opened, closed or used in the wrong way.
#include <vector>

#include "wrong_in_c.hpp"

namespace hostile_regions_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using namespace tenon::test;

TEST_CASE("regions that are not opened and closed as they must be are refused") {
    check_refused(
        {{"region_end without a region", [](const InC& c) { c.end({c.number(1)}); },
          "region_end was called without a region", false},
         {"a region that stays open",
          [](const InC& c) { c.begin("composite", {c.number(1)}, {text_in_c("name", "x"), int_in_c("revision", 1)}); },
          "a region was opened but not closed"},
         {"a mistake in a region whose name is no text",
          [](const InC& c) {
              c.begin("composite", {}, {text_in_c("name", "x\n\xff"), int_in_c("revision", 1)});
              c.emit("sum", {c.number(1)}, {int_in_c("axis", -1)});
              c.end({});
          },
          "update: x \xEF\xBF\xBD: sum: axis -1 does not exist"},
         {"what is no region",
          [](const InC& c) {
              c.begin("exp", {c.number(1)});
              c.end({});
          },
          "exp is not a region"},
         {"a result that is no value",
          [](const InC& c) {
              c.begin("composite", {c.number(1)}, {text_in_c("name", "x"), int_in_c("revision", 1)});
              CHECK(c.end({4711}).front() == 0);
          },
          "region_end: an input is not a value of this graph"},
         {"65 regions in each other",
          [](const InC& c) {
              const std::vector<tn_attribute> attributes = {text_in_c("name", "x"), int_in_c("revision", 1)};
              for (int i = 0; i < 65; ++i) {
                  c.begin("composite", {}, attributes);
              }
              for (int i = 0; i < 64; ++i) {
                  c.end({});
              }
          },
          "there are 64 open regions, which is the maximum"},
         {"a scan without time",
          [](const InC& c) {
              c.begin("scan", {c.number(1)}, {int_in_c("carries", 1)});
              c.end({c.number(1)});
          },
          "scan: none of its inputs runs over time, and neither does this program"},
         {"a scan with unknown input",
          [](const InC& c) {
              CHECK(c.begin("scan", {4711}).front() == 0);
              c.end({c.number(1)});
          },
          "scan: an input is not a value of this graph"}},
        kRows);
}

TEST_CASE("a mistake after the beginning of what is no region is in no region") {
    World world;
    AuthorInC author([](const InC& c) {
        c.begin("metric", {c.number(1)}, {text_in_c("name", "x")});
        c.emit("sum", {c.number(1)}, {int_in_c("axis", -1)});
        c.end({});
    });
    world.build(author.unit(), "update", kRows);
    REQUIRE(world.problems.size() == 2);
    CHECK_THAT(world.problems.front().sentence, ContainsSubstring("metric is not a region"));
    CHECK_THAT(world.problems.back().sentence, ContainsSubstring("update: sum: axis -1 does not exist"));
}

TEST_CASE("scans that cannot run are refused") {
    const auto scan = [](std::vector<tn_attribute> attributes, bool carries_number = true) {
        return [=](const InC& c) {
            const tn_value first = carries_number ? c.number(0) : c.column("next.reward");
            const auto in = c.begin("scan", {first, c.column("next.reward")}, attributes);
            c.end({in[0]});
        };
    };
    check_refused({{"carries out of range", scan({int_in_c("carries", 3)}),
                    "scan: carries and reset must be indices of its inputs"},
                   {"negative carries", scan({int_in_c("carries", kLeast)}),
                    "scan: carries and reset must be indices of its inputs"},
                   {"a reset before all", scan({int_in_c("carries", 1), int_in_c("reset", kLeast)}),
                    "scan: carries and reset must be indices of its inputs"},
                   {"a reset behind all", scan({int_in_c("carries", 1), int_in_c("reset", kMost)}),
                    "scan: carries and reset must be indices of its inputs"},
                   {"a carried sequence", scan({int_in_c("carries", 1)}, false),
                    "scan: input 0 is carried, so it cannot run over time, but is real [T, L]"},
                   {"nothing yielded",
                    [](const InC& c) {
                        c.begin("scan", {c.column("next.reward")});
                        c.end({});
                    },
                    "scan: it has no results"},
                   {"a sequence yielded",
                    [](const InC& c) {
                        const auto in = c.begin("scan", {c.column("next.reward")});
                        c.end({c.emit("add", {in[0], c.column("next.reward")})});
                    },
                    "scan: result 0 must be a value of one step, but is real [T, L]"},
                   {"a reset of other rows",
                    [](const InC& c) {
                        const auto in = c.begin("scan", {c.number(0), c.column("next.done")},
                                                {int_in_c("carries", 1), int_in_c("reset", 1)});
                        c.end({in[0]});
                    },
                    "scan: the reset must be one flag per row of the carried value, and these are bool [L] and real"},
                   {"a value of a closed scan",
                    [](const InC& c) {
                        const auto in = c.begin("scan", {c.column("next.reward")});
                        const tn_value inside = c.emit("exp", {in[0]});
                        c.end({inside});
                        c.emit("metric", {inside}, {text_in_c("name", "x")});
                    },
                    "metric: an input belongs to a closed scan; make it a result of the scan"},
                   {"a value of a closed scan as a result",
                    [](const InC& c) {
                        const auto in = c.begin("scan", {c.column("next.reward")});
                        c.end({in[0]});
                        c.begin("composite", {}, {text_in_c("name", "x"), int_in_c("revision", 1)});
                        c.end({in[0]});
                    },
                    "region_end: an input belongs to a closed scan"}},
                  kSequences);
}

TEST_CASE("scans with a number of steps that cannot run are refused") {
    const auto scan = [](std::int64_t steps, const char* name, std::int64_t carries = 1) {
        return [=](const InC& c) {
            const std::vector<tn_attribute> attributes = {int_in_c("carries", carries), int_in_c("steps", steps),
                                                          text_in_c("name", name)};
            const auto in = c.begin("scan", {c.column("next.reward")}, attributes, 2);
            c.end({in[0]});
        };
    };
    const auto begin = [](const InC& c, const char* name, tn_value first) {
        return c.begin("scan", {first}, {int_in_c("carries", 1), int_in_c("steps", 3), text_in_c("name", name)}, 2);
    };
    const auto spread = [](const InC& c, const char* name, std::int64_t n) {
        return c.emit("spread", {c.column("next.reward")}, {text_in_c("name", name), int_in_c("n", n)});
    };
    check_refused(
        {{"no step", scan(0, "horizon"), "scan: it runs at least 1 step, not 0"},
         {"a name that is none", scan(3, "no name"), "the name of a scan's steps, 'no name', may hold letters"},
         {"carries out of range", scan(3, "horizon", 2), "scan: it carries 2 of its 1 inputs"},
         {"an input without the steps", scan(3, "horizon", 0),
          "scan: input 0 must run over 'horizon', but is real [B]"},
         {"another size of that name",
          [&](const InC& c) {
              spread(c, "horizon", 5);
              begin(c, "horizon", c.column("next.reward"));
              c.end({0});
          },
          "scan: another dimension 'horizon' has a different size, and this one has 3; give it another name"},
         {"carrying a sequence",
          [&](const InC& c) {
              const auto in = begin(c, "horizon", spread(c, "horizon", 3));
              c.end({in[0]});
          },
          "scan: input 0 is carried, so it cannot run over 'horizon', but is real [D(horizon), B]"},
         {"in another of that name",
          [&](const InC& c) {
              const auto outer = begin(c, "horizon", c.column("next.reward"));
              const auto inner = begin(c, "horizon", outer[0]);
              c.end({inner[0]});
              c.end({outer[0]});
          },
          "scan: it stands inside another scan over 'horizon'; give its steps another name"},
         {"a sequence yielded",
          [&](const InC& c) {
              const auto in = begin(c, "horizon", c.column("next.reward"));
              c.end({in[0], c.emit("add", {in[0], spread(c, "horizon", 3)})});
          },
          "scan: result 1 must be a value of one step, but is real [D(horizon), B]"},
         {"a mistake in a step, where the steps' name is not said",
          [&](const InC& c) {
              const auto in = begin(c, "horizon", c.number(1));
              c.emit("sum", {c.number(1)}, {int_in_c("axis", -1)});
              c.end({in[0]});
          },
          "update: sum: axis -1 does not exist"},
         {"another type carried on",
          [&](const InC& c) {
              begin(c, "horizon", c.column("next.reward"));
              c.end({c.column("observation")});
          },
          "scan: carried value 0 starts as real [B] and continues as real [B, 4]"}},
        kRows);
}

TEST_CASE("a function closes no region that it has not opened, and gives out no value of a closed one") {
    World world;
    AuthorInC network(
        [](const InC& c) {
            CHECK(c.args.api->region_end(c.args.graph, nullptr, 0, nullptr, 0) == TN_INVALID_ARGUMENT);
            const auto in = c.begin("scan", {c.column("next.reward")});
            c.end({in[0]});
            c.args.out[0] = in[0];
        },
        "value", "", "value");
    world.networks.push_back(network.unit("value"));
    AuthorInC author([](const InC& c) {
        const auto in = c.begin("scan", {c.column("next.reward")});
        CHECK(c.emit("call", {}, {text_in_c("role", "value"), text_in_c("function", "value")}) == 0);
        CHECK(c.end({c.emit("exp", {in[0]})}).front() != 0);
    });
    world.build(author.unit(), "update", kSequences);
    REQUIRE(world.problems.size() == 2);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("test/in_c, value: region_end was called without a region"));
    CHECK_THAT(world.problems[1].sentence, ContainsSubstring("test/in_c, value: it returns a value of a closed scan"));
}

TEST_CASE("a scan whose body reads another scan's step stands in that scan") {
    World world;
    AuthorInC author([](const InC& c) {
        const tn_value reward = c.column("next.reward");
        const auto outer = c.begin("scan", {reward});
        const auto inner = c.begin("scan", {reward});
        const tn_value all = c.end({c.emit("add", {inner[0], outer[0]})}).front();
        c.end({c.emit("at_time", {all}, {int_in_c("index", 0)})});
    });
    const graph::Graph graph = world.build(author.unit(), "update", kSequences);
    CHECK(world.problems.empty());
    REQUIRE(graph.regions.size() == 3);
    CHECK(graph.regions[2].parent == 1);
    const graph::ValueId inner = graph.regions[2].outputs.front();
    CHECK(graph.node_of(inner).region == 1);
}

TEST_CASE("a transform that reads what it changes itself is refused") {
    World world;
    AuthorInC transform([](const InC& c) { c.args.out[0] = c.emit("exp", {c.column("observation")}); }, "apply", "x",
                        "x");
    const std::vector<graph::ColumnTransform> transforms = {{transform.unit("env.transforms.0"), {"observation"}}};
    Problems problems;
    const graph::Context context{.program = "update",
                                 .leading = kRows,
                                 .columns = &world.columns,
                                 .networks = &world.networks,
                                 .transforms = &transforms,
                                 .declare = [](const graph::ParameterRequest&) { return Status(); },
                                 .take_error = [] { return std::string(); }};
    graph::Builder builder(context, problems);
    AuthorInC author([](const InC& c) { c.column("observation"); });
    builder.build(author.unit(), "update", {}, "train");
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().sentence, ContainsSubstring("it reads 'observation', which is its own output"));
}

}  // namespace hostile_regions_test
