// SPDX-License-Identifier: Apache-2.0
// Steps of networks that are large enough to share: the number of threads changes no bit.
#include <array>
#include <cmath>
#include <vector>

#include "base/thread/pool.hpp"
#include "compute/parameters/clip.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/target.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace threads_test {

using namespace tenon;

namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

constexpr std::array kLive = {1e-3, 0.9, 0.999, 1e-8, 0.01, 0.005};

const std::vector<OptimiserPlan> kPlans = {
    {.rule = AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4, .decoupled = true},
     .clip_norm = 0.5},
    {.rule = AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4}, .clip_norm = 0},
    {.rule = LambPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4}, .clip_norm = 0.5},
    {.rule = SgdPlan{.lr = 0, .momentum = 1, .dampening = 5, .weight_decay = 4, .keeps_momentum = true},
     .clip_norm = 0.5},
    {.rule =
         RmspropPlan{
             .lr = 0, .alpha = 2, .eps = 3, .momentum = 1, .weight_decay = 4, .centered = true, .keeps_momentum = true},
     .clip_norm = 0.5},
};

template <class Real>
struct Stepped {
    std::vector<Real> live;
    std::vector<Real> target;
    double norm = 0;
    bool operator==(const Stepped&) const = default;
};

// Sizes that are no multiple of a vector or a cache line, and a gap between parameters.
template <class Real>
Stepped<Real> stepped(const OptimiserPlan& plan, unsigned threads) {
    constexpr DType kReal = kRealType<Real>;
    Network network = make_network(
        "net", {parameter("w", {251, 263}, "normal", 1), parameter("b", {263}, "normal", 1), parameter("v", {3, 7})},
        kReal, 1, 1, true);
    REQUIRE(begin_optimiser(network, kReal, plan));
    Pool pool(threads);
    const std::array<Network*, 1> all = {&network};
    Stepped<Real> out;
    for (int update = 0; update < 3; ++update) {
        for (const Parameter& each : network.layout.parameters) {
            for (std::size_t i = 0; i < each.size; ++i) {
                span_of<Real>(network.gradient, each)[i] = static_cast<Real>(std::sin(static_cast<double>(i + 1)));
            }
        }
        scale_gradients(all, kReal, 0.3, &pool);
        out.norm = gradient_norm(all, kReal, &pool);
        clip_gradients(all, kReal, out.norm, plan.clip_norm, &pool);
        optimiser_step(network, kReal, plan, kLive, &pool);
        update_target(network, kReal, {.soft = true, .tau = 5}, kLive, &pool);
    }
    const auto live = span_of<Real>(network.live);
    const auto target = span_of<Real>(network.target);
    out.live.assign(live.begin(), live.end());
    out.target.assign(target.begin(), target.end());
    return out;
}

}  // namespace

TEMPLATE_TEST_CASE("the number of threads that share a step changes no bit", "", float, double) {
    for (const OptimiserPlan& plan : kPlans) {
        const Stepped<TestType> one = stepped<TestType>(plan, 1);
        CHECK(std::isfinite(one.norm));
        CHECK(one.live != one.target);
        CHECK(stepped<TestType>(plan, 2) == one);
        CHECK(stepped<TestType>(plan, 3) == one);
        CHECK(stepped<TestType>(plan, 7) == one);
    }
}

TEST_CASE("the norm of a large gradient is that of all its elements") {
    Network network = make_network("net", {parameter("w", {300, 301})}, DType::kF64);
    double squares = 0;
    for (double& each : span_of<double>(network.gradient, network.layout.parameters[0])) {
        each = 0.25;
        squares += each * each;
    }
    Pool pool(2);
    const std::array<Network*, 1> all = {&network};
    CHECK(gradient_norm(all, DType::kF64, &pool) == Catch::Approx(std::sqrt(squares)).epsilon(1e-12));
}

}  // namespace threads_test
