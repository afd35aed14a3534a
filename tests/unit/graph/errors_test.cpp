// SPDX-License-Identifier: Apache-2.0
// Authors' mistakes: each gives one sentence with the author's line, and building goes on to find the others.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "build_fixture.hpp"
#include "support/catch.hpp"
#include "wrong_in_c.hpp"

namespace errors_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::AuthorInC;
using tenon::test::InC;
using tenon::test::ints_in_c;
using tenon::test::text_in_c;
using tenon::test::World;

namespace {

tn_node node_of(std::uint32_t op) {
    tn_node node{};
    node.struct_size = sizeof node;
    node.op = op;
    return node;
}

std::vector<const tenon::graph::OpDef*> ops_of_the_host() {
    std::vector<const tenon::graph::OpDef*> out;
    for (const tenon::graph::OpDef& op : tenon::graph::op_table()) {
        if (op.internal) {
            out.push_back(&op);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("a column that is not there is said once, with its line and the nearest name") {
    World world;
    world.add("advantage", tenon::SpecKind::kUnbounded, tenon::DType::kF32, {});
    world.objective("WrongColumn");
    REQUIRE(world.problems.size() == 1);
    const tenon::Problem& problem = world.problems[0];
    CHECK_THAT(
        problem.sentence,
        ContainsSubstring(
            "test/objective, update: there is no column 'advantge' in the update program; did you mean 'advantage'?"));
    CHECK(problem.fault == tenon::Fault::kInput);
    CHECK_THAT(problem.place.file, ContainsSubstring("authors.cpp"));
    CHECK(problem.place.line == tenon::test::author_line("advantge"));
}

TEST_CASE("what takes its size from a poisoned value is declared nowhere, and says nothing") {
    World world;
    world.add("is_init", tenon::SpecKind::kBinary, tenon::DType::kBool, {});
    const auto network = tenon::test::unit_of("Residual", "value", "test/residual");
    std::map<std::string, std::vector<std::int64_t>> shapes;
    world.agrees = [&](const tenon::graph::ParameterRequest& request) {
        CAPTURE(request.name);
        const auto [known, fresh] = shapes.try_emplace(std::string(request.name), request.shape);
        CHECK((fresh || known->second == request.shape));
    };
    world.build(network, "value", {tenon::graph::kLanes});
    world.build(network, "wide", {tenon::graph::kLanes});
    REQUIRE(world.problems.size() == 2);
    CHECK_THAT(world.problems[0].sentence, ContainsSubstring("there is no column 'observatoin'"));
    CHECK_THAT(world.problems[1].sentence, ContainsSubstring("squeeze: only a size of 1"));
    CHECK(shapes == std::map<std::string, std::vector<std::int64_t>>{
                        {"0.weight", {8, 4}}, {"0.bias", {8}}, {"block.weight", {8, 8}}, {"block.bias", {8}}});
}

TEST_CASE("an advantage [B] against a value [B, 1] is an error with the line of the operation, then both operands'") {
    World world;
    world.objective("Ranks");
    REQUIRE(world.problems.size() == 1);
    const tenon::Problem& problem = world.problems[0];
    CHECK_THAT(problem.sentence,
               ContainsSubstring("mul: a is real [B] and b is real [B, 1], whose shapes do not match, because rows are "
                                 "matched with rows and sizes with sizes: squeeze(b) drops its last size of 1"));
    CHECK(problem.fault == tenon::Fault::kPlugin);
    CHECK(problem.place.line == tenon::test::author_line("ranks") + 2);
    REQUIRE(problem.also.size() == 2);
    CHECK(problem.also[0].line == tenon::test::author_line("ranks"));
    CHECK(problem.also[0].label == "a, real [B]");
    CHECK(problem.also[1].line == tenon::test::author_line("ranks") + 1);
    CHECK(problem.also[1].label == "b, real [B, 1]");
    CHECK_THAT(render(problem), ContainsSubstring(": b, real [B, 1]"));
}

TEST_CASE("of several inputs those two are named that do not line up") {
    World world;
    world.objective("ThreeInputs");
    REQUIRE(world.problems.size() == 2);
    CHECK_THAT(
        world.problems[0].sentence,
        ContainsSubstring("clamp: low is real [B, 2] and high is real [B, 3], whose shapes do not match: 2 against 3"));
    CHECK_THAT(
        world.problems[1].sentence,
        ContainsSubstring("concat: parts[0] is real [B, 2] and parts[2] is real [B, 3, 1], whose shapes do not match"));
    CHECK_THAT(world.problems[1].sentence, ContainsSubstring("squeeze(parts[2]) drops its last size of 1"));
}

TEST_CASE("what is wrong in a function of a network is said once, however often and from wherever it is called") {
    World world;
    world.networks.push_back(tenon::test::unit_of("WrongCritic", "value", "test/value"));
    world.networks.push_back(tenon::test::unit_of("WrongCritic", "other", "test/value"));
    world.objective("CallsTwice");
    REQUIRE(world.problems.size() == 4);
    CHECK_THAT(world.problems[0].sentence, ContainsSubstring(": squeeze: only a size of 1"));
    CHECK_THAT(world.problems[1].sentence, ContainsSubstring("test/value, mode: it could not be built"));
    CHECK_THAT(world.problems[2].sentence, ContainsSubstring(": squeeze: only a size of 1"));
    CHECK_THAT(world.problems[3].sentence, ContainsSubstring("test/value, mode: it could not be built"));
}

TEST_CASE("a version of parameters that there is not is refused, and all that there are are listed") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Critic", "value", "test/value"));
    world.objective("WrongSlab");
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("there is no slab 'behaviour'; this host has live, target and reference"));
    CHECK(world.problems[0].place.line == tenon::test::author_line("behaviour"));
}

TEST_CASE("calls that cannot be made name the network, its component and what it has") {
    World world;
    world.networks.push_back(tenon::test::unit_of("Critic", "value", "test/value"));
    world.objective("Calls");
    REQUIRE(world.problems.size() == 4);
    CHECK_THAT(world.problems[0].sentence,
               ContainsSubstring("it calls the network 'actor', but the manifest has no [policy.actor]"));
    CHECK_THAT(world.problems[1].sentence,
               ContainsSubstring("[policy.value] is test/value, which has no function 'entropy' (it has: value)"));
    CHECK_THAT(world.problems[2].sentence, ContainsSubstring("value.value takes 0 inputs (), but got 1"));
    CHECK_THAT(world.problems[3].sentence, ContainsSubstring("there is no stage 'critc'"));
}

TEST_CASE("one build finds every mistake") {
    World world;
    world.objective("ManyMistakes");
    std::string all;
    for (const tenon::Problem& problem : world.problems) {
        all += problem.sentence + "\n";
        CHECK(problem.place.line > 0);
    }
    CHECK_THAT(all,
               ContainsSubstring("add: a is real [B, 4] and b is real [B, 8], whose shapes do not match: 4 against 8"));
    CHECK_THAT(all, ContainsSubstring("loss 'y' must be one real value per row, but is real [B, 8]"));
    CHECK_THAT(all, ContainsSubstring("gather: index must be int, but this is real [B]"));
    CHECK_THAT(all, ContainsSubstring("squeeze: only a size of 1 can be removed"));
    CHECK_THAT(all, ContainsSubstring("there is no numeric option 'gama'"));
    CHECK_THAT(all, ContainsSubstring("parameter 'w' has the shape [0]"));
    CHECK(world.problems.size() == 6);
}

TEST_CASE("filters and windows that do not fit an image say both sizes") {
    World world;
    world.objective("WrongImages");
    const std::vector<std::string> wanted = {
        "conv2d: it needs images of [channels, height, width], but this is x, real [B, 4]",
        "conv2d: a window of 3 by 3 does not fit into an image of 2 by 2: x, real [B, 1, 2, 2]",
        "conv2d: a window of 5 by 3 does not fit into an image of 2 by 2 with a padding of 1: x",
        "conv2d: x, real [B, 1, 2, 2], does not fit weight, real [8, 3, 2, 2]: the channels of the image must be",
        "conv2d: the weight must be [out, in, height, width], one for all or one per member, but this is weight, real "
        "[8",
        "conv2d: bias, real [4], does not fit weight, real [8, 1, 2, 2]: it must be [out], with the same number of "
        "members",
        "conv2d: a stride must be at least 1 and a padding at least 0, but these are 0 and 0",
        "conv_transpose2d: it needs images of [channels, height, width], but this is x, real [B, 4]",
        "conv_transpose2d: x, real [B, 1, 2, 2], does not fit weight, real [8, 1, 2, 2]: the channels of the image "
        "must be the first size of the weight",
        "conv_transpose2d: the weight must be [in, out, height, width], one for all or one per member, but this is "
        "weight, real [1, 8]",
        "conv_transpose2d: bias, real [4], does not fit weight, real [1, 8, 2, 2]: it must be [out], with the same "
        "number of members",
        "conv_transpose2d: a padding of 2 leaves nothing of the result of x, real [B, 1, 2, 2], and weight, real [1, "
        "8, 2, 2]",
        "max_pool2d: a window of 3 by 3 does not fit into an image of 2 by 2: x, real [B, 1, 2, 2]",
        "max_pool2d: a window must be at least 1 and its padding at most half of it, but these are 2 and 2",
        "max_pool2d: it needs images of [channels, height, width], but this is x, real [B, 4]"};
    REQUIRE(world.problems.size() >= wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK_THAT(world.problems[i].sentence, ContainsSubstring(wanted[i]));
    }
}

TEST_CASE("rows that cannot attend to each other are refused with their sizes") {
    World world;
    world.objective("WrongAttention");
    const std::vector<std::string> wanted = {
        "attention: it needs [rows, heads * width], but this is query, real [B, 4]",
        "attention: 4 heads cannot share the 6 elements of a row evenly: value, real [5, 6]",
        "attention: queries and keys are multiplied, so their rows must have the same length; these are query, real "
        "[5, 6], and key, real [5, 8]",
        "attention: each key has a value, but these are key, real [5, 8], and value, real [4, 6]",
        "attention: what is allowed is bool [3, 5] or [5], or the first key as int [3] or without a size, but this is "
        "allowed, bool [5, 8]",
        "attention: it needs at least one head, but this is 0",
        "attention: a window of 4 keys ends at the query's own key, so it needs causal = 1",
        "attention: a window must be at least 1, or 0 for none, but this is -1"};
    REQUIRE(world.problems.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK_THAT(world.problems[i].sentence, ContainsSubstring(wanted[i]));
    }
}

TEST_CASE("weights and biases that do not fit a layer say the shapes of both") {
    const auto linear = [](const char* x, std::vector<std::int64_t> weight, std::vector<std::int64_t> bias) {
        return [=](const InC& c) {
            const auto parameter = [&](const char* name, const std::vector<std::int64_t>& shape) {
                return c.emit("parameter", {}, {text_in_c("name", name), ints_in_c("shape", shape)});
            };
            std::vector<tn_value> in = {c.column(x), parameter("w", weight)};
            in.push_back(bias.empty() ? c.number(1) : parameter("b", bias));
            c.emit("linear", in);
        };
    };
    tenon::test::check_refused(
        {{"a weight of three sizes", linear("observation", {2, 4, 1}, {2}),
          "linear: the weight must be [out, in], but this is weight, real [2, 4, 1]"},
         {"a weight of one size", linear("observation", {4}, {2}),
          "linear: the weight must be [out, in], but this is weight, real [4]"},
         {"a weight of other inputs", linear("observation", {4, 3}, {4}),
          "linear: x, real [B, 4], does not fit weight, real [4, 3]: their last sizes must be equal"},
         {"inputs without a size", linear("next.reward", {2, 4}, {2}),
          "linear: x, real [B], does not fit weight, real [2, 4]: their last sizes must be equal"},
         {"a bias of other outputs", linear("observation", {2, 4}, {4}),
          "linear: bias, real [4], does not fit weight, real [2, 4]: it must be [out]"},
         {"a bias of two sizes", linear("observation", {2, 4}, {2, 1}),
          "linear: bias, real [2, 1], does not fit weight, real [2, 4]: it must be [out]"},
         {"a bias without a size", linear("observation", {2, 4}, {}),
          "linear: bias, real, does not fit weight, real [2, 4]: it must be [out]"}},
        {tenon::graph::kRows});
}

TEST_CASE("a cast to an unknown kind is refused with those that there are") {
    tenon::test::check_refused(
        {{"a cast", [](const InC& c) { c.emit("cast", {c.column("observation")}, {text_in_c("to", "complex")}); },
          "cast: there is no kind 'complex'; use real, int or bool"}},
        {tenon::graph::kRows});
}

TEST_CASE("ops of the host's own are none to a plugin that asks for them") {
    World world;
    AuthorInC author([](const InC& c) {
        for (const auto* op : ops_of_the_host()) {
            const std::uint32_t found = c.args.api->find_op(c.args.graph, std::string(op->name).c_str(), op->revision);
            CHECK(found == 0);
            const tn_node node = node_of(found);
            CHECK(c.args.api->emit(c.args.graph, &node) == TN_INVALID_ARGUMENT);
        }
    });
    world.build(author.unit());
    const auto ops = ops_of_the_host();
    REQUIRE(!ops.empty());
    REQUIRE(world.problems.size() == ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CHECK_THAT(world.problems[i].sentence,
                   ContainsSubstring("has no op '" + std::string(ops[i]->name) + "' of revision"));
    }
}

TEST_CASE("ops of the host's own are refused by name where a plugin guesses their number") {
    World world;
    AuthorInC author([](const InC& c) {
        c.args.api->find_op(c.args.graph, "add", 1);  // what was asked for last is not what is wrong
        for (const auto* op : ops_of_the_host()) {
            const tn_node node = node_of(static_cast<std::uint32_t>(op - tenon::graph::op_table().data()) + 1);
            CHECK(c.args.api->emit(c.args.graph, &node) == TN_INVALID_ARGUMENT);
        }
        const tn_node node = node_of(100000);
        CHECK(c.args.api->emit(c.args.graph, &node) == TN_INVALID_ARGUMENT);
    });
    world.build(author.unit());
    const auto ops = ops_of_the_host();
    REQUIRE(world.problems.size() == ops.size() + 1);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CHECK_THAT(world.problems[i].sentence, ContainsSubstring("test/in_c, update: '" + std::string(ops[i]->name) +
                                                                 "' is an internal op of the host"));
        CHECK(world.problems[i].fault == tenon::Fault::kPlugin);
    }
    CHECK_THAT(world.problems.back().sentence, ContainsSubstring("the op number 100000 does not come from find_op"));
}

}  // namespace errors_test
