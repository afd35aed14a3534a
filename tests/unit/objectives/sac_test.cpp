// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic with two critics: losses against plain loops, gradients against central differences.
#include <cmath>

#include "by_hand.hpp"
#include "sac_rig.hpp"
#include "support/catch.hpp"

namespace sac_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Vector joined(Vector a, const Vector& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Vector piece(const Vector& all, std::size_t row, std::size_t width) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
}

struct ByHand {
    double critic = 0;
    double actor = 0;
    double temperature = 0;
    int first_is_smaller = 0;
    std::vector<double> priorities;
};

ByHand by_hand(Assembly& assembly, const FilledBatch& batch, std::uint64_t counter) {
    const Network& actor = assembly.network("actor");
    const Network& q = assembly.network("qvalue");
    const double log_alpha = numbers(assembly.network("objective"), assembly.network("objective").live)[0];
    const double alpha = std::exp(log_alpha);
    const Vector next_noise = noise_of(assembly.update.graph, 0, 3, counter, batch.rows(), 2);
    const Vector noise = noise_of(assembly.update.graph, 1, 3, counter, batch.rows(), 2);
    ByHand out;
    const auto rows = static_cast<double>(batch.rows());
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector next = batch.row("next.observation", i);
        const Squashed next_sample = squash(mlp(actor, actor.live, next), piece(next_noise, i, 2), kLow, kHigh);
        const Vector seen = joined(next, next_sample.action);
        const double first = mlp(q, q.target, seen, "tanh", 0)[0];
        const double second = mlp(q, q.target, seen, "tanh", 1)[0];
        out.first_is_smaller += first < second ? 1 : 0;
        const double soft = std::min(first, second) - alpha * next_sample.log_prob;
        const double y = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * soft;

        const Vector now = batch.row("observation", i);
        const Squashed draw = squash(mlp(actor, actor.live, now), piece(noise, i, 2), kLow, kHigh);
        double smallest = INFINITY;
        out.priorities.push_back(0);
        for (std::size_t member = 0; member < 2; ++member) {
            const Vector taken = joined(now, batch.row("action", i));
            const double error = mlp(q, q.live, taken, "tanh", member)[0] - y;
            out.critic += test::smooth_l1(error) / rows;
            out.priorities.back() = std::max(out.priorities.back(), std::abs(error));
            smallest = std::min(smallest, mlp(q, q.live, joined(now, draw.action), "tanh", member)[0]);
        }
        out.actor += (alpha * draw.log_prob - smallest) / rows;
        out.temperature -= log_alpha * (draw.log_prob - 2.0) / rows;
    }
    return out;
}

}  // namespace

TEST_CASE("SAC's losses are those of the paper, with one draw for actor and temperature") {
    Assembly assembly(sac_plan());
    assembly.build();
    assembly.load();
    set_log_alpha(assembly, -0.7);
    const FilledBatch batch = sac_batch(assembly);
    for (const std::uint64_t counter : {0U, 1U, 77U}) {
        const ByHand expected = by_hand(assembly, batch, counter);
        REQUIRE(expected.first_is_smaller > 0);
        REQUIRE(expected.first_is_smaller < 11);
        const Outcome outcome = assembly.run(batch, {.counter = counter});
        CHECK(outcome.losses.at("critic.q") == Catch::Approx(expected.critic).epsilon(1e-11));
        CHECK(outcome.losses.at("actor.gain") == Catch::Approx(expected.actor).epsilon(1e-11));
        CHECK(outcome.losses.at("temperature.alpha") == Catch::Approx(expected.temperature).epsilon(1e-11));
        CHECK(outcome.metrics.at("alpha") == Catch::Approx(std::exp(-0.7)).epsilon(1e-14));
        const std::vector<double>& priorities = outcome.columns.at("priority");
        REQUIRE(priorities.size() == batch.rows());
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            CHECK(priorities[i] == Catch::Approx(expected.priorities[i]).epsilon(1e-11));
        }
    }
}

TEST_CASE("SAC's gradients are those of central differences, stage by stage") {
    Assembly assembly(sac_plan());
    assembly.build();
    assembly.load();
    set_log_alpha(assembly, -0.7);
    REQUIRE(assembly.stages.size() == 3);
    for (const std::uint64_t counter : {0U, 5U}) {
        const GradientCheck check = check_gradients(assembly, sac_batch(assembly), {.counter = counter});
        CHECK(check.worst <= 1e-6);
        CHECK(check.smallest_network > 0.01);
    }
}

TEST_CASE("a member's gradient does not depend on the other member") {
    Assembly assembly(sac_plan());
    assembly.build();
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    const Network& q = assembly.network("qvalue");
    const auto gradients = [&] {
        assembly.run(batch);
        std::vector<Vector> members(2);
        for (const Parameter& parameter : q.layout.parameters) {
            const double* first = q.gradient.as<double>() + parameter.offset;
            const std::size_t half = parameter.size / 2;
            members[0].insert(members[0].end(), first, first + half);
            members[1].insert(members[1].end(), first + half, first + parameter.size);
        }
        return members;
    };
    const std::vector<Vector> before = gradients();
    CHECK(before[0] != before[1]);
    for (const Parameter& parameter : q.layout.parameters) {
        q.live.as<double>()[parameter.offset + parameter.size / 2] += 0.25;  // the first number of the second member
    }
    const std::vector<Vector> after = gradients();
    CHECK(after[0] == before[0]);
    CHECK(after[1] != before[1]);
}

}  // namespace sac_test
