// SPDX-License-Identifier: Apache-2.0
// What optimisers do where torch has no number to compare with: momentum that a schedule moves, rounding below zero.
#include <vector>

#include "compute/parameters/optimiser.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace optimiser_test {

using namespace tenon;

namespace {

using test::make_network;
using test::parameter;
using test::span_of;

struct One {
    explicit One(const OptimiserPlan& optimiser) : plan(optimiser) {
        REQUIRE(begin_optimiser(network, DType::kF64, plan));
    }

    double step(double gradient, const std::vector<double>& live) {
        network.gradient.as<double>()[0] = gradient;
        optimiser_step(network, DType::kF64, plan, live);
        return network.live.as<double>()[0];
    }

    OptimiserPlan plan;
    Network network = make_network("q", {parameter("w", {1}, "constant", 1)}, DType::kF64);
};

constexpr SgdPlan kSgd{.lr = 0, .momentum = 1, .dampening = 2, .weight_decay = 3, .keeps_momentum = true};
constexpr RmspropPlan kCentered{.lr = 0, .alpha = 1, .eps = 2, .momentum = 3, .weight_decay = 4, .centered = true};

TEST_CASE("momentum that a schedule moves away from 0 goes on from the gradient before") {
    One one({.rule = kSgd});
    CHECK(one.step(1, {0.5, 0, 0.25, 0}) == 0.5);   // dampening has nothing to damp
    CHECK(one.step(2, {0.5, 0, 0.25, 0}) == -0.5);  // not 1 - 0.25 of it either
    CHECK(one.step(4, {0.5, 0.5, 0, 0}) == -3);     // 4 + 2 / 2
    CHECK(one.step(0, {0.5, 0.5, 0.25, 0}) == -4.25);
}

TEST_CASE("a variance that rounding puts below zero counts as zero") {
    One one({.rule = kCentered});
    double before = 1;
    for (int i = 0; i < 2000; ++i) {  // the mean square nears the square of the mean
        const double now = one.step(0.1, {1e-3, 0.5, 1e-2, 0, 0});
        REQUIRE(now < before);
        before = now;
    }
}

TEST_CASE("weight decay shrinks every trained parameter and no other") {
    const bool decoupled = GENERATE(false, true);
    Network network = make_network("q",
                                   {parameter("w", {2}, "constant", 1), parameter("b", {1}, "constant", 1),
                                    parameter("mean", {2}, "constant", 1, false)},
                                   DType::kF64);
    const OptimiserPlan plan{
        .rule = AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4, .decoupled = decoupled}};
    REQUIRE(begin_optimiser(network, DType::kF64, plan));
    optimiser_step(network, DType::kF64, plan, std::vector<double>{0.1, 0.9, 0.999, 1e-8, 0.5});
    for (const Parameter& each : network.layout.parameters) {
        for (const double value : span_of<double>(network.live, each)) {
            CHECK((value < 1) == each.trainable);
        }
    }
}

TEST_CASE("an optimiser that begins forgets") {
    One one({.rule = kSgd});
    one.step(1, {0.5, 0.9, 0, 0});
    CHECK(one.network.steps == 1);
    REQUIRE(begin_optimiser(one.network, DType::kF64, {.rule = kCentered}));
    CHECK(one.network.steps == 0);
    REQUIRE(one.network.optimiser_state.size() == 2);
    CHECK(one.network.optimiser_state[0].name == "square_avg");
    CHECK(one.network.optimiser_state[0].slab.as<double>()[0] == 0);
}

TEST_CASE("plain descent remembers nothing") {
    CHECK(state_names({.rule = SgdPlan{}}).empty());
    CHECK(state_names({.rule = RmspropPlan{.centered = true, .keeps_momentum = true}}) ==
          std::vector<std::string_view>{"square_avg", "grad_avg", "momentum_buffer"});
}

}  // namespace
}  // namespace optimiser_test
