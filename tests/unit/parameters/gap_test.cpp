// SPDX-License-Identifier: Apache-2.0
// The gaps between parameters hold zeros and stay zero, whatever happens to the parameters.
#include <array>
#include <vector>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/parameters/clip.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/target.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace gap_test {

using namespace tenon;

namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

template <class Real>
std::size_t gaps_not_zero(const NetworkLayout& layout, const Slab& slab) {
    const std::span<Real> values = span_of<Real>(slab);
    std::vector<bool> used(values.size());
    for (const Parameter& each : layout.parameters) {
        for (std::size_t i = each.offset; i < each.offset + each.size && i < used.size(); ++i) {
            used[i] = true;
        }
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        wrong += !used[i] && values[i] != 0 ? 1 : 0;
    }
    return wrong;
}

TEMPLATE_TEST_CASE("gaps are zero after a hundred clipped steps and target updates", "", float, double) {
    using Real = TestType;
    const double eps = GENERATE(1e-8, 0.0);
    const auto rule = GENERATE(values<decltype(OptimiserPlan::rule)>(
        {AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 5},
         AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 5, .decoupled = true},
         LambPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 5},
         SgdPlan{.lr = 0, .momentum = 1, .dampening = 4, .weight_decay = 5, .keeps_momentum = true},
         RmspropPlan{.lr = 0,
                     .alpha = 1,
                     .eps = 3,
                     .momentum = 1,
                     .weight_decay = 5,
                     .centered = true,
                     .keeps_momentum = true}}));
    const OptimiserPlan plan{.rule = rule, .clip_norm = 0.5};
    Network network = make_network("q",
                                   {parameter("w", {3, 7}, "orthogonal", 1), parameter("b", {3}, "uniform", 1),
                                    parameter("m", {5}, "constant", 2, false), parameter("s", {}, "constant", 1)},
                                   kRealType<Real>, 3, 1, true);
    REQUIRE(begin_optimiser(network, kRealType<Real>, plan));
    const std::array<Network*, 1> networks = {&network};
    const std::array<double, 6> live = {1e-2, 0.9, 0.999, eps, 0.01, 0.1};
    const tn_key key = make_key(5, "gradients");
    const std::vector<Real> first(span_of<Real>(network.live).begin(), span_of<Real>(network.live).end());
    for (std::uint64_t step = 0; step < 100; ++step) {
        for (const Parameter& each : network.layout.parameters) {
            if (each.trainable) {
                const std::span<Real> gradient = span_of<Real>(network.gradient, each);
                fill_normal(key, step * 1000 + each.offset, gradient.data(), gradient.size());
            }
        }
        const double norm = gradient_norm(networks, kRealType<Real>);
        clip_gradients(networks, kRealType<Real>, norm, plan.clip_norm);
        optimiser_step(network, kRealType<Real>, plan, live);
        update_target(network, kRealType<Real>, {.soft = true, .tau = 4}, live);
    }
    CHECK(network.steps == 100);
    for (const Slab* slab : {&network.live, &network.target, &network.gradient}) {
        CHECK(gaps_not_zero<Real>(network.layout, *slab) == 0);
    }
    for (const NamedSlab& state : network.optimiser_state) {
        CHECK(gaps_not_zero<Real>(network.layout, state.slab) == 0);
    }
    // The steps were steps: every trainable value moved, the state did not.
    for (const Parameter& each : network.layout.parameters) {
        for (std::size_t i = each.offset; i < each.offset + each.size; ++i) {
            CHECK((span_of<Real>(network.live)[i] != first[i]) == each.trainable);
        }
    }
}

}  // namespace
}  // namespace gap_test
