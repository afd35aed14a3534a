// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation: losses and prepared columns against plain loops, gradients against central differences.
#include <cmath>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

using namespace tenon;
using namespace tenon::test;

namespace {

const Options kBody = {{"hidden", std::vector<std::int64_t>{6}}};

Plan plan(const Options& more = {}) {
    Plan out{.columns = {real_column("observation", {3}), categorical_column("action", 4), real_column("log_prob"),
                         real_column("advantage"), real_column("value_target"), real_column("next.observation", {3}),
                         real_column("next.reward"), flag_column("next.terminated"), flag_column("next.done")},
             .networks = {{.role = "actor", .component = "mlp/categorical", .options = kBody},
                          {.role = "value", .component = "mlp/value", .options = kBody}},
             .objective = "ppo/ppo",
             .options = {{"clip_epsilon", 0.1},
                         {"entropy_coefficient", 0.05},
                         {"value_coefficient", 0.5},
                         {"lambda", 0.8},
                         {"gamma", 0.9}}};
    out.options.insert(out.options.end(), more.begin(), more.end());
    return out;
}

double log_prob(const Network& actor, const Batch& batch, std::size_t row) {
    return test::log_softmax(
        mlp(actor, actor.live, batch.row("observation", row)))[static_cast<std::size_t>(batch["action"][row])];
}

// Stored log-probs of an older policy that the ratios of some rows leave the clipping range by, others do not.
Batch batch_for(Assembly& assembly) {
    Batch batch(assembly.columns(), {.rows = 16}, 7);
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
};

// With normalise the advantages come to mean 0 and deviation 1; with clip above 0 the square of how far the value is
// from its target, of the value or of the one kept within clip of its old self.
ByHand by_hand(const Network& actor, const Network& value, const Batch& batch, bool normalise = false,
               double clip = 0) {
    ByHand out;
    const auto rows = static_cast<double>(batch.rows());
    double mean = 0;
    double deviation = 1;
    if (normalise) {
        double squares = 0;
        for (const double a : batch["advantage"]) {
            mean += a / rows;
        }
        for (const double a : batch["advantage"]) {
            squares += (a - mean) * (a - mean);
        }
        deviation = std::sqrt(squares / (rows - 1));
    }
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double log_ratio = log_prob(actor, batch, i) - batch["log_prob"][i];
        const double ratio = std::exp(log_ratio);
        const double advantage = (batch["advantage"][i] - mean) / deviation;
        const double clipped = std::min(std::max(ratio, 0.9), 1.1);
        out.clipped += clipped * advantage < ratio * advantage ? 1 : 0;
        out.policy -= std::min(ratio * advantage, clipped * advantage) / rows;
        const double v = mlp(value, value.live, batch.row("observation", i))[0];
        const double goal = batch["value_target"][i];
        if (clip > 0) {
            const double old = goal - batch["advantage"][i];
            const double near = std::min(std::max(v, old - clip), old + clip);
            out.value += 0.5 * std::max((v - goal) * (v - goal), (near - goal) * (near - goal)) / rows;
            out.moved_far += std::abs(v - old) > clip ? 1 : 0;
        } else {
            out.value += 0.5 * test::smooth_l1(v - goal) / rows;
        }
        for (const double logp : test::log_softmax(mlp(actor, actor.live, batch.row("observation", i)))) {
            out.entropy += 0.05 * std::exp(logp) * logp / rows;
        }
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
    const Batch batch = batch_for(assembly);
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
    const Batch batch = batch_for(assembly);
    const ByHand expected = by_hand(assembly.network("actor"), assembly.network("value"), batch, true, 0.7);
    REQUIRE(expected.moved_far > 2);
    REQUIRE(expected.moved_far < 14);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("policy") == Catch::Approx(expected.policy).epsilon(1e-12));
    CHECK(outcome.losses.at("value") == Catch::Approx(expected.value).epsilon(1e-12));
    CHECK(check_gradients(assembly, batch).worst <= 1e-6);
}

TEST_CASE("PPO prepares advantages and value targets from its value network") {
    Assembly assembly(plan());
    assembly.build();
    const Batch batch(assembly.columns(), {.time = 9, .lanes = 3}, 11);
    const Columns out = assembly.forward("prepare", batch);
    const Network& value = assembly.network("value");
    for (std::size_t lane = 0; lane < 3; ++lane) {
        double advantage = 0;
        for (std::size_t t = 9; t-- > 0;) {
            const std::size_t i = t * 3 + lane;
            const double v = mlp(value, value.live, batch.row("observation", i))[0];
            const double ahead = mlp(value, value.live, batch.row("next.observation", i))[0];
            const double delta = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * ahead - v;
            advantage = delta + 0.9 * 0.8 * (1 - batch["next.done"][i]) * advantage;
            CHECK(out.at("advantage")[i] == Catch::Approx(advantage).margin(1e-13));
            CHECK(out.at("value_target")[i] == Catch::Approx(advantage + v).margin(1e-13));
        }
    }
}
