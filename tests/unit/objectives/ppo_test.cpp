// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation: losses and prepared columns against plain loops, gradients against central differences.
#include <cmath>

#include "actor_rig.hpp"
#include "support/catch.hpp"

namespace ppo_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan(const Options& more = {}) {
    Options options = {{"clip_epsilon", 0.1},
                       {"entropy_coefficient", 0.05},
                       {"value_coefficient", 0.5},
                       {"lambda", 0.8},
                       {"gamma", 0.9}};
    options.insert(options.end(), more.begin(), more.end());
    return actor_plan("ppo/ppo", options);
}

// Stored log-probs of an older policy that the ratios of some rows leave the clipping range by, others do not.
FilledBatch batch_for(Assembly& assembly) {
    FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
    std::vector<double> stored = batch["log_prob"];
    for (std::size_t i = 0; i < stored.size(); ++i) {
        stored[i] = log_prob(assembly.network("actor"), batch, i) + 0.15 * stored[i];
    }
    batch.set("log_prob", stored);
    return batch;
}

struct ByHand {
    double policy = 0;
    double value = 0;
    double entropy = 0;
    double kl = 0;
    int clipped = 0;
    int moved_far = 0;
    int clipped_twice = 0;
};

// With normalise the advantages come to mean 0 and deviation 1; with clip above 0 the square of how far the value is
// from its target, of the value or of the one kept within clip of its old self. With dual above 0 a bad action's gain
// is at least dual times its advantage.
ByHand by_hand(const Network& actor, const Network& value, const FilledBatch& batch, bool normalise = false,
               double clip = 0, double dual = 0) {
    ByHand out;
    const auto rows = static_cast<double>(batch.rows());
    const Vector advantages = normalise ? normalised_by_hand(batch["advantage"]) : batch["advantage"];
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double log_ratio = log_prob(actor, batch, i) - batch["log_prob"][i];
        const double ratio = std::exp(log_ratio);
        const double advantage = advantages[i];
        const double clipped = std::min(std::max(ratio, 0.9), 1.1);
        out.clipped += clipped * advantage < ratio * advantage ? 1 : 0;
        double gain = std::min(ratio * advantage, clipped * advantage);
        if (dual > 0 && advantage < 0 && gain < dual * advantage) {
            gain = dual * advantage;
            ++out.clipped_twice;
        }
        out.policy -= gain / rows;
        const double v = value_of(value, batch, i);
        const double goal = batch["value_target"][i];
        if (clip > 0) {
            const double old = goal - batch["advantage"][i];
            const double near = std::min(std::max(v, old - clip), old + clip);
            out.value += 0.5 * std::max((v - goal) * (v - goal), (near - goal) * (near - goal)) / rows;
            out.moved_far += std::abs(v - old) > clip ? 1 : 0;
        } else {
            out.value += 0.5 * test::smooth_l1(v - goal) / rows;
        }
        out.entropy -= 0.05 * entropy_of(actor, batch, i) / rows;
        out.kl += (ratio - 1 - log_ratio) / rows;
    }
    return out;
}

}  // namespace

TEST_CASE("PPO's losses are those of the paper, and its gradients those of central differences") {
    Assembly assembly(plan());
    assembly.build();
    assembly.load();
    REQUIRE(assembly.stages.size() == 1);
    REQUIRE(assembly.stages[0].owned.size() == 2);
    const FilledBatch batch = batch_for(assembly);
    const ByHand expected = by_hand(assembly.network("actor"), assembly.network("value"), batch);
    REQUIRE(expected.clipped > 1);
    REQUIRE(expected.clipped < 12);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("policy") == Catch::Approx(expected.policy).epsilon(1e-12));
    CHECK(outcome.losses.at("value") == Catch::Approx(expected.value).epsilon(1e-12));
    CHECK(outcome.losses.at("entropy") == Catch::Approx(expected.entropy).epsilon(1e-12));
    CHECK(outcome.metrics.at("approx_kl") == Catch::Approx(expected.kl).epsilon(1e-12));
    const GradientCheck check = check_gradients(assembly, batch);
    CHECK(check.worst <= 1e-6);
    CHECK(check.smallest_network > 0.01);
}

TEST_CASE("PPO's options normalise advantages, clip values and choose the distance") {
    Assembly assembly(plan({{"normalise_advantage", true}, {"clip_value", 0.7}, {"value_loss", std::string("l2")}}));
    assembly.build();
    assembly.load();
    const FilledBatch batch = batch_for(assembly);
    const ByHand expected = by_hand(assembly.network("actor"), assembly.network("value"), batch, true, 0.7);
    REQUIRE(expected.moved_far > 2);
    REQUIRE(expected.moved_far < 14);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("policy") == Catch::Approx(expected.policy).epsilon(1e-12));
    CHECK(outcome.losses.at("value") == Catch::Approx(expected.value).epsilon(1e-12));
    CHECK(check_gradients(assembly, batch).worst <= 1e-6);
}

TEST_CASE("PPO's dual clip bounds what a bad action costs") {
    Assembly assembly(plan({{"dual_clip", 1.15}}));
    assembly.build();
    assembly.load();
    const FilledBatch batch = batch_for(assembly);
    const ByHand expected = by_hand(assembly.network("actor"), assembly.network("value"), batch, false, 0, 1.15);
    REQUIRE(expected.clipped_twice > 0);
    REQUIRE(expected.clipped_twice < 8);
    CHECK(assembly.run(batch).losses.at("policy") == Catch::Approx(expected.policy).epsilon(1e-12));
    CHECK(check_gradients(assembly, batch).worst <= 1e-6);
}

TEST_CASE("PPO's sampled entropy is minus the log-probability of a draw, and its mean the exact one") {
    Assembly exact(plan());
    exact.build();
    exact.load();
    Assembly sampled(plan({{"entropy", std::string("sampled")}}));
    sampled.build();
    sampled.load();
    const FilledBatch batch = batch_for(exact);
    const Network& actor = sampled.network("actor");
    double mean = 0;
    double squares = 0;
    const int draws = 400;
    for (int draw = 0; draw < draws; ++draw) {
        const double entropy = sampled.run(batch, {.counter = static_cast<std::uint64_t>(draw)}).metrics.at("entropy");
        mean += entropy / draws;
        squares += entropy * entropy / draws;
    }
    const double deviation = std::sqrt((squares - mean * mean) / draws);
    REQUIRE(deviation > 1e-4);
    double expected = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        expected += entropy_of(actor, batch, i) / static_cast<double>(batch.rows());
    }
    CHECK(exact.run(batch).metrics.at("entropy") == Catch::Approx(expected).epsilon(1e-12));
    CHECK(std::abs(mean - expected) < 4.5 * deviation);
    CHECK(check_gradients(sampled, batch).worst <= 1e-6);
}

TEST_CASE("PPO's penalty keeps the policy near its reference, and without one there is none") {
    Assembly without(plan());
    without.build();
    CHECK(without.network("actor").reference.empty());
    for (const bool exact : {true, false}) {
        CAPTURE(exact);
        const std::string form = exact ? "exact" : "sampled";
        Assembly assembly(plan({{"reference_kl", 0.7}, {"reference_kl_form", form}}));
        assembly.build();
        assembly.load();
        const FilledBatch batch = batch_for(assembly);
        const Network& actor = assembly.network("actor");
        double expected = 0;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            const Vector now = log_probs(actor, batch, i);
            const Vector then = test::log_softmax(mlp(actor, actor.reference, batch.row("observation", i)));
            const auto taken = static_cast<std::size_t>(batch["action"][i]);
            double kl = std::exp(then[taken] - now[taken]) - 1 - (then[taken] - now[taken]);
            for (std::size_t k = 0; exact && k < now.size(); ++k) {
                kl = (k == 0 ? 0 : kl) + std::exp(now[k]) * (now[k] - then[k]);
            }
            expected += kl / static_cast<double>(batch.rows());
        }
        REQUIRE(expected > 0.001);
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("reference_kl") == Catch::Approx(0.7 * expected).epsilon(1e-12));
        CHECK(outcome.metrics.at("reference_kl") == Catch::Approx(expected).epsilon(1e-12));
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.smallest_network > 0.01);
    }
}

TEST_CASE("PPO leaves a batch, and does not step, once a minibatch is 1.5 times target_kl away") {
    Assembly assembly(plan());
    assembly.build();
    assembly.load();
    const FilledBatch batch = batch_for(assembly);
    const double kl = assembly.run(batch).metrics.at("approx_kl");
    CHECK(assembly.update.graph.controls.empty());
    for (const bool beyond : {false, true}) {
        Plan near = plan({{"target_kl", kl / 1.5 * (beyond ? 0.99 : 1.01)}});
        near.lr = 0.01;
        Assembly guarded(near);
        guarded.build();
        guarded.load();
        const std::vector<double> before = numbers(guarded.network("actor"), guarded.network("actor").live);
        const Outcome outcome = guarded.run(batch);
        CHECK((numbers(guarded.network("actor"), guarded.network("actor").live) == before) == beyond);
        CHECK(outcome.controls.at("stop_epochs") == (beyond ? 1 : 0));
    }
}

TEST_CASE("PPO prepares advantages and value targets from its value network") {
    Assembly assembly(plan());
    assembly.build();
    const FilledBatch batch(assembly.columns(), {.time = 9, .lanes = 3}, 11);
    const Columns out = assembly.forward("prepare", batch);
    const Network& value = assembly.network("value");
    for (std::size_t lane = 0; lane < 3; ++lane) {
        double advantage = 0;
        for (std::size_t t = 9; t-- > 0;) {
            const std::size_t i = t * 3 + lane;
            const double v = value_of(value, batch, i);
            const double next_value = value_of(value, batch, i, "next.observation");
            const double delta = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * next_value - v;
            advantage = delta + 0.9 * 0.8 * (1 - batch["next.done"][i]) * advantage;
            CHECK(out.at("advantage")[i] == Catch::Approx(advantage).margin(1e-13));
            CHECK(out.at("value_target")[i] == Catch::Approx(advantage + v).margin(1e-13));
        }
    }
}

}  // namespace ppo_test
