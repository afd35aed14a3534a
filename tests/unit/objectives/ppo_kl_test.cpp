// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation with a penalty: losses against plain loops, gradients against central differences, and a
// weight of the penalty that follows the divergence of whole batches.
#include <cmath>

#include "actor_rig.hpp"
#include "support/catch.hpp"

namespace ppo_kl_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan(double target_kl = 0.01) {
    Plan plan = actor_plan("ppo/kl", {{"beta", 1.5}, {"beta_factor", 3.0}, {"target_kl", target_kl}});
    plan.columns.push_back(real_column("action_logits", {4}));
    return plan;
}

// From the policy of the stored logits to the present one.
double kl_of(const Network& actor, const FilledBatch& batch, std::size_t row) {
    const Vector before = test::log_softmax(batch.row("action_logits", row));
    const Vector now = log_probs(actor, batch, row);
    double out = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
        out += std::exp(before[k]) * (before[k] - now[k]);
    }
    return out;
}

double beta_of(Assembly& assembly) {
    const Network& own = assembly.network("objective");
    const Parameter* const beta = own.layout.find("beta");
    REQUIRE(beta != nullptr);
    return own.live.as<double>()[beta->offset];
}

}  // namespace

TEST_CASE("PPO's penalty is beta times the divergence from the policy that acted") {
    Assembly assembly(plan());
    assembly.build();
    assembly.load();
    FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
    const Network& actor = assembly.network("actor");
    double policy = 0;
    double penalty = 0;
    Vector stored = batch["log_prob"];
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        stored[i] = log_prob(actor, batch, i) + 0.15 * stored[i];
        policy -= std::exp(log_prob(actor, batch, i) - stored[i]) * batch["advantage"][i] / 16;
        penalty += 1.5 * kl_of(actor, batch, i) / 16;
    }
    batch.set("log_prob", stored);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("policy") == Catch::Approx(policy).epsilon(1e-12));
    CHECK(outcome.losses.at("kl") == Catch::Approx(penalty).epsilon(1e-12));
    CHECK(outcome.metrics.at("beta") == 1.5);
    CHECK(beta_of(assembly) == 1.5);
    const GradientCheck check = check_gradients(assembly, batch);
    CHECK(check.worst <= 1e-6);
    CHECK(check.smallest_network > 0.01);
}

TEST_CASE("the weight of PPO's penalty follows the divergence of a batch, within 1.5 times its target not") {
    Assembly first(plan());
    first.build();
    const FilledBatch batch(first.columns(), {.time = 5, .lanes = 3}, 11);
    double kl = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        kl += kl_of(first.network("actor"), batch, i) / 15;
    }
    for (const auto& [target, expected] :
         {std::pair{kl / 1.6, 4.5}, {kl / 1.4, 1.5}, {kl * 1.4, 1.5}, {kl * 1.6, 0.5}}) {
        CAPTURE(kl, target);
        Assembly assembly(plan(target));
        assembly.build();
        assembly.forward("conclude", batch);
        CHECK(beta_of(assembly) == Catch::Approx(expected).epsilon(1e-12));
    }
}

}  // namespace ppo_kl_test
