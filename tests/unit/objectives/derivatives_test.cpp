// SPDX-License-Identifier: Apache-2.0
// gradient/1 in losses: penalties on slopes and a Hessian's products against torch's double backward
// (tests/golden/derivatives.txt), gradients in a loop against the same steps written one after the other, and what is
// said of gradients that do not exist.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "golden.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace derivatives_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kTolerance = 1e-9;

Plan plan_of(const std::string& objective, bool compiled, bool with_network = false) {
    Plan plan{.columns = {real_column("x", {32})},
              .networks = {},
              .objective = "test/" + objective,
              .options = {},
              .compiled = compiled};
    if (with_network) {
        plan.networks.push_back(
            {.role = "net",
             .component = "mlp/value",
             .options = {{"hidden", std::vector<std::int64_t>{5, 5}}, {"in", std::vector<std::string>{"x"}}}});
    }
    return plan;
}

double* place_of(const Network& network, const Slab& slab, const std::string& name) {
    const auto found = std::ranges::find(network.layout.parameters, name, &Parameter::name);
    REQUIRE(found != network.layout.parameters.end());
    return const_cast<Slab&>(slab).as<double>() + found->offset;
}

void set_golden(Network& network, const GoldenCase& golden) {
    for (const Parameter& parameter : network.layout.parameters) {
        std::ranges::copy(golden[parameter.name], place_of(network, network.live, parameter.name));
    }
}

void check_gradients_of(const Network& network, const GoldenCase& golden) {
    for (const Parameter& parameter : network.layout.parameters) {
        CAPTURE(parameter.name);
        const double* first = place_of(network, network.gradient, parameter.name);
        const std::vector<double>& expected = golden["gradient." + parameter.name];
        CHECK(worst_difference({first, first + expected.size()}, expected) <= kTolerance);
    }
}

// "PenalisesTanh" of "tanh"
std::string author_of(std::string body) {
    body[0] = static_cast<char>(std::toupper(body[0]));
    return "Penalises" + body;
}

}  // namespace

TEST_CASE("a penalty on the slope of an answer and its gradients are those of torch's double backward") {
    std::size_t cases = 0;
    for (const GoldenCase& golden : read_golden("derivatives.txt")) {
        if (golden.name == "curvature") {
            continue;
        }
        for (const bool compiled : {false, true}) {
            CAPTURE(golden.name, compiled);
            Assembly assembly(plan_of(author_of(golden.name), compiled));
            FilledBatch batch(assembly.columns(), {.rows = 6}, 1);
            batch.set("x", golden["x"]);
            assembly.build();
            set_golden(assembly.network("objective"), golden);
            assembly.load();
            const Outcome outcome = assembly.run(batch);
            CHECK(outcome.losses.at("penalty") == Catch::Approx(golden.number("loss")).epsilon(kTolerance));
            CHECK(worst_difference(outcome.columns.at("slope"), golden["slope"]) <= kTolerance);
            check_gradients_of(assembly.network("objective"), golden);
        }
        ++cases;
    }
    CHECK(cases == 10);
}

TEST_CASE("the product of a Hessian by all parameters and a direction is torch's, and so is its gradient") {
    const GoldenCase golden = golden_case("derivatives.txt", "curvature");
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Assembly assembly(plan_of("Curves", compiled, true));
        FilledBatch batch(assembly.columns(), {.rows = 6}, 1);
        batch.set("x", golden["x"]);
        assembly.build();
        set_golden(assembly.network("net"), golden);
        set_golden(assembly.network("objective"), golden);
        assembly.load();
        CHECK(assembly.run(batch).losses.at("all.product") == Catch::Approx(golden.number("loss")).epsilon(kTolerance));
        check_gradients_of(assembly.network("net"), golden);
        check_gradients_of(assembly.network("objective"), golden);
    }
}

TEST_CASE("a gradient in a loop is that of its step") {
    std::vector<double> unrolled;
    for (const char* const objective : {"DescendsUnrolled", "Descends"}) {
        for (const bool compiled : {false, true}) {
            CAPTURE(objective, compiled);
            Assembly assembly(plan_of(objective, compiled));
            const FilledBatch batch(assembly.columns(), {.rows = 6}, 4);
            assembly.build();
            assembly.load();
            const Outcome outcome = assembly.run(batch);
            const std::vector<double>& reached = outcome.columns.at("reached");
            unrolled = unrolled.empty() ? reached : unrolled;
            CHECK(worst_difference(reached, unrolled) <= 1e-12);
            const GradientCheck gradients = check_gradients(assembly, batch);
            CHECK(gradients.worst <= 1e-6);
            CHECK(gradients.largest > 0.01);
        }
    }
}

TEST_CASE("a gradient in the step of a network with a memory is that of its step") {
    const auto plan = [](const char* objective, bool compiled) {
        return Plan{.columns = {real_column("x", {3}), real_column("net.trace", {3}), flag_column("is_init")},
                    .networks = {{.role = "net", .component = "test/Climbing", .options = {}}},
                    .objective = std::string("test/") + objective,
                    .options = {},
                    .compiled = compiled,
                    .leading = {graph::kTime, graph::kLanes}};
    };
    std::vector<double> losses;
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Assembly assembly(plan("WeighsClimb", compiled));
        const FilledBatch batch(assembly.columns(), {.rows = 0, .time = 4, .lanes = 3}, 5);
        assembly.build();
        assembly.load();
        losses.push_back(assembly.run(batch).losses.at("all.loss"));
        const GradientCheck gradients = check_gradients(assembly, batch);
        CHECK(gradients.worst <= 1e-6);
        CHECK(gradients.largest > 0.01);
    }
    CHECK(losses[0] == Catch::Approx(losses[1]).epsilon(1e-12));
    const Problems problems = Assembly(plan("WeighsByWeight", false)).try_build();
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].sentence, ContainsSubstring("over sequences, a network with a memory runs step by step"));
}

TEST_CASE("a gradient that does not exist, and parameters that do not fit, are refused with the author's line") {
    Assembly assembly(plan_of("DifferentiatesWrongly", false, true));
    const Problems problems = assembly.try_build();
    const std::vector<std::string> expected = {
        "gradient: of must be one real number per row, but is real [B, 32]",
        "gradient: wrt must be real, but is int [B]",
        "gradient: of does not depend on wrt by operations that have a gradient",
        "gradient: of does not depend on wrt by operations that have a gradient",
        "parameters: the program reads none of 'net' so far; call the functions first whose parameters are meant",
        "the call of net binds its parameters, real [201], to real [402]",
        "the parameters of 'net' are written in an update, where the optimiser changes them; write them in prepare or "
        "conclude",
        "gradient: inside a scan it cannot pass through another scan"};
    REQUIRE(problems.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK_THAT(problems[i].sentence, ContainsSubstring(expected[i]));
        CHECK_THAT(problems[i].place.file, ContainsSubstring("derivative_authors.cpp"));
    }
}

}  // namespace derivatives_test
