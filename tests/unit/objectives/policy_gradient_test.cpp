// SPDX-License-Identifier: Apache-2.0
// Advantage actor-critic and REINFORCE: losses and prepared columns against plain loops, gradients against central
// differences.
#include "actor_rig.hpp"
#include "support/catch.hpp"

namespace policy_gradient_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const Options kCommon = {{"entropy_coefficient", 0.05}, {"value_coefficient", 0.5}, {"gamma", 0.9}};

Plan plan(const std::string& objective, const Options& more = {}) {
    Options options = kCommon;
    options.insert(options.end(), more.begin(), more.end());
    return actor_plan(objective, options);
}

struct ByHand {
    double policy = 0;
    double value = 0;
    double entropy = 0;
};

ByHand by_hand(Assembly& assembly, const FilledBatch& batch, const Vector& advantage, bool squares) {
    const Network& actor = assembly.network("actor");
    const Network* value = assembly.learner.find("value");
    const auto rows = static_cast<double>(batch.rows());
    ByHand out;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        out.policy -= log_prob(actor, batch, i) * advantage[i] / rows;
        out.entropy -= 0.05 * entropy_of(actor, batch, i) / rows;
        if (value != nullptr) {
            const double error = value_of(*value, batch, i) - batch["value_target"][i];
            out.value += 0.5 * (squares ? error * error : test::smooth_l1(error)) / rows;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("A2C's and REINFORCE's losses are the policy gradient's, and their gradients those of central differences") {
    struct Variant {
        std::string objective;
        Options options;
        bool normalise = false;
        bool squares = false;
        bool value = true;
    };
    const std::string l2 = "l2";
    for (const Variant& variant :
         {Variant{"a2c/a2c", {}}, Variant{"a2c/a2c", {{"normalise_advantage", true}, {"value_loss", l2}}, true, true},
          Variant{"reinforce/reinforce", {}},
          Variant{"reinforce/reinforce", {{"normalise_advantage", true}, {"value_loss", l2}}, true, true},
          Variant{"reinforce/reinforce", {{"baseline", false}}, false, false, false}}) {
        CAPTURE(variant.objective, variant.normalise, variant.value);
        Assembly assembly(plan(variant.objective, variant.options));
        assembly.build();
        assembly.load();
        REQUIRE(assembly.stages.size() == 1);
        REQUIRE(assembly.stages[0].owned.size() == (variant.value ? 2 : 1));
        const FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
        const Vector advantage = variant.normalise ? normalised_by_hand(batch["advantage"]) : batch["advantage"];
        const ByHand expected = by_hand(assembly, batch, advantage, variant.squares);
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("policy") == Catch::Approx(expected.policy).epsilon(1e-12));
        CHECK(outcome.losses.at("entropy") == Catch::Approx(expected.entropy).epsilon(1e-12));
        CHECK(outcome.losses.contains("value") == variant.value);
        if (variant.value) {
            CHECK(outcome.losses.at("value") == Catch::Approx(expected.value).epsilon(1e-12));
        }
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.smallest_network > 0.01);
    }
}

TEST_CASE("REINFORCE prepares rewards to go, less a baseline where it has one") {
    struct Variant {
        Options options;
        bool baseline;
        bool bootstrap;
    };
    for (const Variant& variant : {Variant{{}, true, true}, Variant{{{"bootstrap", false}}, true, false},
                                   Variant{{{"baseline", false}}, false, false}}) {
        CAPTURE(variant.baseline, variant.bootstrap);
        Assembly assembly(plan("reinforce/reinforce", variant.options));
        assembly.build();
        FilledBatch batch(assembly.columns(), {.time = 9, .lanes = 3}, 11);
        Vector done = batch["next.done"];
        for (std::size_t i = 0; i < done.size(); ++i) {
            done[i] = std::max(done[i], batch["next.terminated"][i]);
        }
        batch.set("next.done", done);
        const Columns out = assembly.forward("prepare", batch);
        CHECK(out.contains("value_target") == variant.baseline);
        for (std::size_t lane = 0; lane < 3; ++lane) {
            double following = 0;
            for (std::size_t t = 9; t-- > 0;) {
                const std::size_t i = t * 3 + lane;
                const bool cut = done[i] != 0 || t == 8;
                double next_value = cut ? 0 : following;
                if (cut && variant.bootstrap && batch["next.terminated"][i] == 0) {
                    next_value = value_of(assembly.network("value"), batch, i, "next.observation");
                }
                following = batch["next.reward"][i] + 0.9 * next_value;
                const double base = variant.baseline ? value_of(assembly.network("value"), batch, i) : 0;
                CHECK(out.at("advantage")[i] == Catch::Approx(following - base).margin(1e-13));
                if (variant.baseline) {
                    CHECK(out.at("value_target")[i] == Catch::Approx(following).margin(1e-13));
                }
            }
        }
    }
}

TEST_CASE("A2C prepares its advantages as PPO does") {
    Assembly a2c(plan("a2c/a2c", {{"lambda", 0.8}}));
    Assembly ppo(plan("ppo/ppo", {{"lambda", 0.8}}));
    for (Assembly* assembly : {&a2c, &ppo}) {
        assembly->build();
    }
    const FilledBatch batch(ppo.columns(), {.time = 9, .lanes = 3}, 11);
    CHECK(a2c.forward("prepare", batch) == ppo.forward("prepare", batch));
}

TEST_CASE("A2C's V-trace on the present policy's own actions is GAE with lambda 1, and on others it is not") {
    Assembly gae(plan("a2c/a2c", {{"lambda", 1.0}}));
    Assembly vtrace(plan("a2c/a2c", {{"estimator", std::string("vtrace")}}));
    for (Assembly* assembly : {&gae, &vtrace}) {
        assembly->build();
    }
    FilledBatch batch(gae.columns(), {.time = 9, .lanes = 3}, 11);
    Vector done = batch["next.done"];
    Vector own(batch.rows());
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        done[i] = std::max(done[i], batch["next.terminated"][i]);
        own[i] = log_prob(gae.network("actor"), batch, i);
    }
    batch.set("next.done", done);
    batch.set("log_prob", own);
    const Columns expected = gae.forward("prepare", batch);
    const Columns same = vtrace.forward("prepare", batch);
    for (const std::string key : {"advantage", "value_target"}) {
        CAPTURE(key);
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            CHECK(same.at(key)[i] == Catch::Approx(expected.at(key)[i]).margin(1e-12));
        }
    }
    own[4] += 0.5;  // likelier when it acted: the row counts less
    batch.set("log_prob", own);
    CHECK(std::abs(vtrace.forward("prepare", batch).at("advantage")[4]) < std::abs(same.at("advantage")[4]) - 0.01);
    CHECK(gae.forward("prepare", batch).at("advantage") == expected.at("advantage"));
}

}  // namespace policy_gradient_test
