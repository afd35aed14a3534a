// SPDX-License-Identifier: Apache-2.0
// Versions of parameters: when targets move, how far, and that the network's own state goes along; when references are
// copied, and what acts with a lag.
#include <algorithm>
#include <array>

#include "compute/parameters/target.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace target_test {

using namespace tenon;

namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

template <class Real>
Network network_with_target() {
    Network network =
        make_network("q", {parameter("w", {3, 7}, "normal", 1), parameter("m", {2}, "constant", 1, false)},
                     kRealType<Real>, 1, 1, true);
    for (const Parameter& each : network.layout.parameters) {
        std::ranges::transform(span_of<Real>(network.live, each), span_of<Real>(network.live, each).begin(),
                               [](Real x) { return x * 3 + 1; });
    }
    return network;
}

template <class Real>
bool equals_live(const Network& network) {
    return std::ranges::equal(span_of<Real>(network.target), span_of<Real>(network.live));
}

TEMPLATE_TEST_CASE("a hard target is copied at every Nth update exactly", "", float, double) {
    const std::int64_t every = GENERATE(1, 2, 5);
    Network network = network_with_target<TestType>();
    const TargetPlan plan{.soft = false, .every = every};
    for (std::int64_t update = 1; update <= 12; ++update) {
        span_of<TestType>(network.live)[0] += 1;
        update_target(network, kRealType<TestType>, plan, {});
        CAPTURE(update, every);
        CHECK(equals_live<TestType>(network) == (update % every == 0));
    }
}

TEMPLATE_TEST_CASE("a soft target goes tau of the way, its state all of it", "", float, double) {
    using Real = TestType;
    const double tau = GENERATE(0.005, 0.25, 0.75);
    Network network = network_with_target<Real>();
    const Parameter& w = *network.layout.find("w");
    const Parameter& m = *network.layout.find("m");
    const std::span<Real> target = span_of<Real>(network.target, w);
    const std::vector<Real> before(target.begin(), target.end());
    const std::array<double, 3> live = {9, tau, 9};
    update_target(network, kRealType<Real>, {.soft = true, .tau = 1}, live);
    const double tolerance = sizeof(Real) == 8 ? 1e-15 : 5e-7;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double from = static_cast<double>(before[i]);
        const double to = static_cast<double>(span_of<Real>(network.live, w)[i]);
        CHECK(std::abs(static_cast<double>(target[i]) - (from + tau * (to - from))) < tolerance * (1 + std::abs(to)));
    }
    CHECK(std::ranges::equal(span_of<Real>(network.target, m), span_of<Real>(network.live, m)));
    CHECK_FALSE(equals_live<Real>(network));
}

TEMPLATE_TEST_CASE("tau 1 is a copy, tau 0 moves no parameter", "", float, double) {
    using Real = TestType;
    Network network = network_with_target<Real>();
    const std::array<double, 2> live = {0, 1};
    const std::vector<Real> before(span_of<Real>(network.target).begin(), span_of<Real>(network.target).end());
    update_target(network, kRealType<Real>, {.soft = true, .tau = 0}, live);
    CHECK(std::equal(before.begin(), before.begin() + 21, span_of<Real>(network.target).begin()));
    update_target(network, kRealType<Real>, {.soft = true, .tau = 1}, live);
    CHECK(equals_live<Real>(network));
}

TEST_CASE("a soft target waits for its turn") {
    Network network = network_with_target<float>();
    const std::array<double, 1> live = {1};
    const TargetPlan plan{.soft = true, .tau = 0, .every = 3};
    for (const bool moves : {false, false, true}) {
        update_target(network, DType::kF32, plan, live);
        CHECK(equals_live<float>(network) == moves);
    }
}

TEST_CASE("a network without a target is left alone") {
    Network network = make_network("q", {parameter("w", {3}, "normal", 1)}, DType::kF32);
    update_target(network, DType::kF32, {}, {});
    CHECK(network.target.empty());
    CHECK(network.since_target == 0);
}

TEMPLATE_TEST_CASE("a reference is live of the last Nth update, or that of the start", "", float, double) {
    const std::int64_t every = GENERATE(0, 1, 3);
    Network network = network_with_target<TestType>();
    REQUIRE(add_copy(network, ParameterSlab::kReference));
    const std::span<TestType> live = span_of<TestType>(network.live);
    std::vector<TestType> copied(live.begin(), live.end());
    for (std::int64_t update = 1; update <= 7; ++update) {
        live[static_cast<std::size_t>(update)] += 1;
        update_reference(network, every);
        if (every > 0 && update % every == 0) {
            copied.assign(live.begin(), live.end());
        }
        CAPTURE(update, every);
        CHECK(std::ranges::equal(span_of<TestType>(network.reference), copied));
    }
}

TEST_CASE("behaviour is live as it was some rounds ago, and that of the start before") {
    const std::int64_t rounds = GENERATE(0, 1, 3);
    Network network = make_network("q", {parameter("w", {3}, "normal", 1)}, DType::kF64);
    REQUIRE(add_behaviour(network, rounds));
    const double first = span_of<double>(network.live)[0];
    for (int round = 0; round < 8; ++round) {
        advance_behaviour(network);
        CAPTURE(round, rounds);
        CHECK(span_of<double>(network.behaviour)[0] == first + std::max(round - static_cast<int>(rounds), 0));
        span_of<double>(network.live)[0] += 1;  // the updates of the round
    }
    copy_live(network);
    advance_behaviour(network);
    CHECK(span_of<double>(network.behaviour)[0] == span_of<double>(network.live)[0]);
}

}  // namespace
}  // namespace target_test
