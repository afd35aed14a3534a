// SPDX-License-Identifier: Apache-2.0
// What can go wrong, and the sentence that says so.
#include <cmath>
#include <limits>

#include "support.hpp"
#include "support/catch.hpp"

namespace failures_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Failing {
    Sketch sketch;
    Learner learner;
    Memory x = memory("x", DType::kF64, {}, {1.0, 2.0});

    Failing() {
        learner.real = DType::kF64;
        add_network(learner, "net", {{.name = "w", .shape = {}, .values = {1.0}, .trainable = true}});
    }

    ValueId in() { return sketch.column("x", Type{Kind::kReal, {graph::kRows}}); }
    ValueId w() { return sketch.parameter("net", "w", Type{}); }

    Result<std::unique_ptr<Program>> make() {
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {x.port}, .outputs = {}, .seed = 0};
        return executor(DType::kF64)->update(spec, {plan_of({0})}, learner);
    }

    Status run() {
        auto program = make();
        REQUIRE(program.has_value());
        const std::vector<const void*> inputs{x.data()};
        const std::vector<double> live{0.1, 0.9, 0.999, 1e-8, 0.0};
        Call call{.sizes = {.rows = 2}, .inputs = inputs, .numbers = {.live = live}};
        TENON_TRY((*program)->run(call));
        return {};
    }
};

}  // namespace

TEST_CASE("a loss that is not finite names the first node that made it so") {
    Failing failing;
    const ValueId shifted = failing.sketch.add("sub", {failing.in(), failing.sketch.constant(1.0)});
    failing.sketch.at_line(10);
    const ValueId logarithm = failing.sketch.add("log", {shifted});
    failing.sketch.at_line(11, "dqn/dqn");
    const ValueId loss = failing.sketch.add("mul", {logarithm, failing.w()});
    failing.sketch.at_line(12);
    failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}), loss);
    const Status failed = failing.run();
    REQUIRE_FALSE(failed.has_value());
    CHECK_THAT(failed.error().sentence,
               ContainsSubstring("the loss 'critic' of the stage 'update' is -inf in the program 'update'") &&
                   ContainsSubstring("log/1 of dqn/dqn"));
    CHECK(failed.error().place.file == "author.cpp");
    CHECK(failed.error().place.line == 11);
    CHECK_THAT(failed.error().help, ContainsSubstring("[0, 1]"));
    CHECK(read(failing.learner, failing.learner.networks[0], failing.learner.networks[0].live, "w")[0] ==
          1.0);  // no step
}

TEST_CASE("a column or parameter that is not finite is named as such") {
    Failing failing;
    failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                        failing.sketch.add("mul", {failing.in(), failing.w()}));
    failing.x.f64[1] = std::nan("");
    const Status column = failing.run();
    REQUIRE_FALSE(column.has_value());
    CHECK_THAT(column.error().sentence, ContainsSubstring("the column 'x'"));
    failing.x.f64[1] = 1;
    write(failing.learner, failing.learner.networks[0], "w", {std::numeric_limits<double>::infinity()});
    const Status parameter = failing.run();
    REQUIRE_FALSE(parameter.has_value());
    CHECK_THAT(parameter.error().sentence, ContainsSubstring("the parameter 'w' of 'net'"));
}

TEST_CASE("a gradient that is not finite stops the step") {
    Failing failing;
    const ValueId root =
        failing.sketch.add("sqrt", {failing.sketch.add("sub", {failing.w(), failing.sketch.constant(1.0)})});
    failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                        failing.sketch.add("mul", {root, failing.in()}));
    const Status failed = failing.run();
    REQUIRE_FALSE(failed.has_value());
    CHECK_THAT(failed.error().sentence,
               ContainsSubstring(
                   "the gradient of the stage 'update' with respect to the parameter 'w' of 'net' is not finite"));
    CHECK(read(failing.learner, failing.learner.networks[0], failing.learner.networks[0].live, "w")[0] == 1.0);
}

TEST_CASE("an index outside stops the program at the author's line") {
    for (const std::string op : {"gather", "take_along"}) {
        Failing failing;
        const ValueId x = failing.sketch.add("unsqueeze", {failing.in()});
        const ValueId one = failing.sketch.add("cast", {failing.in()}, {{"to", std::string("int")}});
        const ValueId index = op == "gather" ? one : failing.sketch.add("unsqueeze", {one});
        ValueId chosen = failing.sketch.add(op, {x, index});
        failing.sketch.at_line(21, "dqn/dqn");
        chosen = op == "gather" ? chosen : failing.sketch.add("squeeze", {chosen});
        failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                            failing.sketch.add("mul", {chosen, failing.w()}));
        const Status failed = failing.run();
        REQUIRE_FALSE(failed.has_value());
        CHECK_THAT(failed.error().sentence,
                   ContainsSubstring(op + "/1 of dqn/dqn cannot be computed in the program 'update'") &&
                       ContainsSubstring("out of bounds"));
        CHECK(failed.error().place.line == 21);
        CHECK(failed.error().fault == Fault::kPlugin);
    }
}

TEST_CASE("too little memory is the environment's fault") {
    Failing failing;
    const ValueId wide = failing.sketch.special("random_normal", {{"stream", std::string("s")}},
                                                Type{Kind::kReal, {graph::kRows, std::int64_t{1} << 50}});
    failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                        failing.sketch.add("mul", {failing.sketch.add("sum", {wide}), failing.w()}));
    const Status failed = failing.run();
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().fault == Fault::kEnvironment);
    CHECK_THAT(failed.error().sentence, ContainsSubstring("not enough memory for the program 'update'"));
}

TEST_CASE("what does not fit together is said before anything runs") {
    SECTION("a stage whose losses depend on nothing that it owns") {
        Failing failing;
        const ValueId cut = failing.sketch.add("stop_gradient", {failing.w()});
        failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                            failing.sketch.add("mul", {failing.in(), cut}));
        const auto program = failing.make();
        REQUIRE_FALSE(program.has_value());
        CHECK_THAT(program.error().sentence,
                   ContainsSubstring("the losses of the stage 'update' depend on no parameter"));
    }
    SECTION("a stage without a loss") {
        Failing failing;
        failing.sketch.stage("update", {"net"});
        const auto program = failing.make();
        REQUIRE_FALSE(program.has_value());
        CHECK_THAT(program.error().sentence, ContainsSubstring("the stage 'update' has no loss"));
    }
    SECTION("a column of another shape") {
        Failing failing;
        const ValueId x = failing.sketch.column("x", Type{Kind::kReal, {graph::kRows, 4}});
        failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                            failing.sketch.add("mul", {failing.sketch.add("sum", {x}), failing.w()}));
        const auto program = failing.make();
        REQUIRE_FALSE(program.has_value());
        CHECK_THAT(program.error().sentence,
                   ContainsSubstring("the column 'x' has rows of [], but the graph reads real [B, 4]"));
    }
    SECTION("a network that does not exist, a parameter that does not exist, a target that nobody keeps") {
        for (const auto& [role, name, slab, words] : {std::tuple{"other", "w", "live", "no network 'other'"},
                                                      std::tuple{"net", "v", "live", "no parameter 'v'"},
                                                      std::tuple{"net", "w", "target", "no target parameters"}}) {
            Failing failing;
            const ValueId w = failing.sketch.parameter(role, name, Type{}, slab);
            failing.sketch.loss("critic", failing.sketch.stage("update", {"net"}),
                                failing.sketch.add("mul", {failing.sketch.add("mul", {failing.in(), failing.w()}), w}));
            const auto program = failing.make();
            REQUIRE_FALSE(program.has_value());
            CHECK_THAT(program.error().sentence, ContainsSubstring(words));
        }
    }
}

}  // namespace failures_test
