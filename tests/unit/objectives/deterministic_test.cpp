// SPDX-License-Identifier: Apache-2.0
// Deterministic policy gradients (DDPG, TD3, TD3+BC): losses against plain loops, gradients against central
// differences.
#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "sac_rig.hpp"
#include "support/catch.hpp"

namespace deterministic_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct Variant {
    std::string objective;
    Options options;
    std::int64_t critics;
    bool target_actor = true;
    bool squares = false;
    double noise = 0;
    double noise_clip = 0;
    double alpha = 0;  // of TD3+BC
};

Plan plan(const Variant& variant) {
    Plan plan = sac_plan();
    plan.objective = variant.objective;
    plan.options = {{"gamma", 0.9}};
    plan.options.insert(plan.options.end(), variant.options.begin(), variant.options.end());
    plan.networks[1].count = variant.critics;
    return plan;
}

Vector joined(Vector a, const Vector& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// The smallest value of the critics at an action.
double value_at(const Network& q, const Slab& slab, const Vector& observation, const Vector& action,
                std::int64_t critics) {
    double least = INFINITY;
    for (std::size_t member = 0; member < static_cast<std::size_t>(critics); ++member) {
        least = std::min(least, mlp(q, slab, joined(observation, action), "tanh", member)[0]);
    }
    return least;
}

Vector act(const Network& actor, const Slab& slab, const Vector& observation) {
    return squash(mlp(actor, slab, observation), {0, 0}, kLow, kHigh).action;
}

struct ByHand {
    double critic = 0;
    double gain = 0;
    double clone = 0;
    int clipped_noise = 0;
    int at_bound = 0;
};

ByHand by_hand(Assembly& assembly, const FilledBatch& batch, const Variant& variant, std::uint64_t counter) {
    const Network& actor = assembly.network("actor");
    const Network& q = assembly.network("qvalue");
    const auto rows = static_cast<double>(batch.rows());
    const bool noisy = variant.noise > 0;
    const Vector noise = noisy ? noise_of(assembly.update.graph, 0, 3, counter, batch.rows(), 2) : Vector{};
    ByHand out;
    double magnitude = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector now = batch.row("observation", i);
        const Vector next = batch.row("next.observation", i);
        Vector next_action = act(actor, variant.target_actor ? actor.target : actor.live, next);
        for (std::size_t k = 0; k < 2 && noisy; ++k) {
            const double draw = variant.noise * noise[2 * i + k];
            const double kept = std::clamp(draw, -variant.noise_clip, variant.noise_clip);
            const double moved = next_action[k] + kept * (kHigh[k] - kLow[k]) / 2;
            next_action[k] = std::clamp(moved, kLow[k], kHigh[k]);
            out.clipped_noise += draw != kept ? 1 : 0;
            out.at_bound += next_action[k] != moved ? 1 : 0;
        }
        const double later = value_at(q, q.target, next, next_action, variant.critics);
        const double y = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * later;
        for (std::size_t member = 0; member < static_cast<std::size_t>(variant.critics); ++member) {
            const double error = mlp(q, q.live, joined(now, batch.row("action", i)), "tanh", member)[0] - y;
            out.critic += (variant.squares ? error * error : test::smooth_l1(error)) / rows;
        }
        const Vector action = act(actor, actor.live, now);
        const double value = value_at(q, q.live, now, action, 1);  // of the first critic
        out.gain -= value / rows;
        magnitude += std::abs(value) / rows;
        for (std::size_t k = 0; k < 2; ++k) {
            out.clone += std::pow(action[k] - batch.row("action", i)[k], 2) / 2 / rows;
        }
    }
    out.gain *= variant.alpha > 0 ? variant.alpha / magnitude : 1;
    return out;
}

const std::string kL2 = "l2";
const std::string kHuber = "huber";

}  // namespace

TEST_CASE(
    "DDPG's, TD3's and TD3+BC's losses are those of the papers, and their gradients those of central differences") {
    for (const Variant& variant :
         {Variant{"ddpg/ddpg", {}, 1, true, true},
          Variant{"ddpg/ddpg", {{"target_actor", false}, {"loss", kHuber}}, 1, false, false},
          Variant{"td3/td3", {}, 2, true, false, 0.2, 0.5},
          Variant{"td3/td3", {{"policy_noise", 0.8}, {"noise_clip", 0.6}, {"loss", kL2}}, 3, true, true, 0.8, 0.6},
          Variant{"td3_bc/td3_bc", {}, 2, true, false, 0.2, 0.5, 2.5},
          Variant{"td3_bc/td3_bc", {{"alpha", 0.7}}, 2, true, false, 0.2, 0.5, 0.7}}) {
        CAPTURE(variant.objective, variant.critics, variant.squares, variant.noise);
        Assembly assembly(plan(variant));
        assembly.build();
        assembly.load();
        REQUIRE(assembly.stages.size() == 2);
        const FilledBatch batch = sac_batch(assembly);
        for (const std::uint64_t counter : {0U, 5U}) {
            const ByHand expected = by_hand(assembly, batch, variant, counter);
            if (variant.noise > 0.5) {
                REQUIRE(expected.clipped_noise > 0);
                REQUIRE(expected.at_bound > 0);
            }
            const Outcome outcome = assembly.run(batch, {.counter = counter});
            CHECK(outcome.losses.at("critic.q") == Catch::Approx(expected.critic).epsilon(1e-11));
            CHECK(outcome.losses.at("actor.gain") == Catch::Approx(expected.gain).epsilon(1e-11));
            if (variant.alpha > 0) {
                CHECK(outcome.losses.at("actor.clone") == Catch::Approx(expected.clone).epsilon(1e-11));
            } else {
                const GradientCheck check = check_gradients(assembly, batch, {.counter = counter});
                CHECK(check.worst <= 1e-6);
                CHECK(check.smallest_network > 0.01);
            }
        }
    }
}

TEST_CASE("a critic's state_hidden are layers that the state passes before the action joins it") {
    Plan with_layers = plan({"ddpg/ddpg", {}, 1});
    with_layers.networks[1].options = {{"state_hidden", std::vector<std::int64_t>{6, 4}},
                                       {"hidden", std::vector<std::int64_t>{5}}};
    Assembly assembly(with_layers);
    assembly.build();
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    const Network& q = assembly.network("qvalue");
    double mean = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector state = mlp(q, q.live, batch.row("observation", i), "tanh", 0, "before");
        REQUIRE(state.size() == 4);
        mean += mlp(q, q.live, joined(state, batch.row("action", i)))[0] / static_cast<double>(batch.rows());
    }
    CHECK(assembly.run(batch).metrics.at("q_value") == Catch::Approx(mean).epsilon(1e-11));
    CHECK(check_gradients(assembly, batch, {}).worst <= 1e-6);
}

TEST_CASE("TD3+BC's actor climbs its critic with a weight that is no part of the gradient") {
    Variant variant{"td3_bc/td3_bc", {}, 2};
    Assembly cloning(plan(variant));
    variant.objective = "td3/td3";
    Assembly climbing(plan(variant));
    Plan without = plan({"td3_bc/td3_bc", {{"alpha", 0.0}}, 2});
    Assembly pure(without);
    const auto gradient = [](Assembly& assembly) {
        assembly.build();
        assembly.load();
        const FilledBatch batch = sac_batch(assembly);
        assembly.run(batch);
        return numbers(assembly.network("actor"), assembly.network("actor").gradient);
    };
    const std::vector<double> both = gradient(cloning);
    const std::vector<double> climb = gradient(climbing);
    const std::vector<double> clone = gradient(pure);
    const FilledBatch batch = sac_batch(cloning);
    double magnitude = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector now = batch.row("observation", i);
        const Network& actor = cloning.network("actor");
        const Network& q = cloning.network("qvalue");
        magnitude += std::abs(value_at(q, q.live, now, act(actor, actor.live, now), 1)) / 11;
    }
    for (std::size_t i = 0; i < both.size(); ++i) {
        CHECK(both[i] == Catch::Approx(2.5 / magnitude * climb[i] + clone[i]).margin(1e-12));
    }
    CHECK(check_gradients(pure, batch).worst <= 1e-6);
}

TEST_CASE("TD3's actor and its target move once in policy_delay updates") {
    Variant variant{"td3/td3", {{"policy_delay", std::int64_t{3}}}, 2};
    Plan delayed = plan(variant);
    delayed.lr = 0.01;
    delayed.target = {.kind = "soft", .tau = 0.25, .every = 1};
    Assembly assembly(delayed);
    assembly.build();
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    const Network& actor = assembly.network("actor");
    for (int update = 0; update < 6; ++update) {
        CAPTURE(update);
        const std::vector<double> live = numbers(actor, actor.live);
        const std::vector<double> target = numbers(actor, actor.target);
        const Outcome outcome = assembly.run(batch, {.updates = static_cast<double>(update)});
        CHECK((numbers(actor, actor.live) != live) == (update % 3 == 0));
        CHECK((numbers(actor, actor.target) != target) == (update % 3 == 0));
        CHECK(std::isnan(outcome.losses.at("actor.gain")) == (update % 3 != 0));
        CHECK(std::isfinite(outcome.losses.at("critic.q")));
    }
}

}  // namespace deterministic_test
