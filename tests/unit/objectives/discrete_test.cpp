// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic and conservative Q-learning for categorical actions: losses against plain loops, gradients against
// central differences.
#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace discrete_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kActions = 4;

Plan plan(const std::string& objective, const Options& more, std::int64_t critics, bool actor) {
    const Options body = {{"hidden", std::vector<std::int64_t>{5}}};
    Plan plan{
        .columns = {real_column("observation", {3}), categorical_column("action", kActions),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue", .component = "mlp/q_value", .options = body, .count = critics}},
        .objective = objective,
        .options = {{"gamma", 0.9}}};
    plan.options.insert(plan.options.end(), more.begin(), more.end());
    if (actor) {
        plan.networks.push_back({.role = "actor", .component = "mlp/categorical", .options = body});
    }
    return plan;
}

// Of every action the smaller value of two critics.
Vector smaller(const Network& q, const Slab& slab, const Vector& observation) {
    Vector out = mlp(q, slab, observation, "tanh", 0);
    const Vector other = mlp(q, slab, observation, "tanh", 1);
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = std::min(out[k], other[k]);
    }
    return out;
}

struct Soft {
    double critic = 0;
    double actor = 0;
    double temperature = 0;
};

Soft sac_by_hand(Assembly& assembly, const FilledBatch& batch, double log_alpha) {
    const Network& q = assembly.network("qvalue");
    const Network& actor = assembly.network("actor");
    const auto rows = static_cast<double>(batch.rows());
    const double alpha = std::exp(log_alpha);
    Soft out;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector now = batch.row("observation", i);
        const Vector next = batch.row("next.observation", i);
        const Vector next_log_probs = test::log_softmax(mlp(actor, actor.live, next));
        const Vector later = smaller(q, q.target, next);
        const Vector log_p = test::log_softmax(mlp(actor, actor.live, now));
        const Vector values = smaller(q, q.live, now);
        double soft = 0;
        double expected_log_p = 0;
        for (std::size_t k = 0; k < kActions; ++k) {
            soft += std::exp(next_log_probs[k]) * (later[k] - alpha * next_log_probs[k]);
            out.actor += std::exp(log_p[k]) * (alpha * log_p[k] - values[k]) / rows;
            expected_log_p += std::exp(log_p[k]) * log_p[k];
        }
        out.temperature -= log_alpha * (expected_log_p + 0.6 * std::log(4.0)) / rows;
        const double y = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * soft;
        for (const std::size_t member : {0U, 1U}) {
            const auto taken = static_cast<std::size_t>(batch["action"][i]);
            out.critic += test::smooth_l1(mlp(q, q.live, now, "tanh", member)[taken] - y) / rows;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("discrete SAC's losses are expectations over all actions") {
    Assembly assembly(plan("sac/discrete", {{"target_entropy_weight", 0.6}, {"alpha", std::exp(-0.7)}}, 2, true));
    assembly.build();
    assembly.load();
    REQUIRE(assembly.stages.size() == 3);
    const FilledBatch batch(assembly.columns(), {.rows = 13}, 5);
    const Soft expected = sac_by_hand(assembly, batch, -0.7);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("critic.q") == Catch::Approx(expected.critic).epsilon(1e-12));
    CHECK(outcome.losses.at("actor.gain") == Catch::Approx(expected.actor).epsilon(1e-12));
    CHECK(outcome.losses.at("temperature.alpha") == Catch::Approx(expected.temperature).epsilon(1e-12));
    const GradientCheck check = check_gradients(assembly, batch);
    CHECK(check.worst <= 1e-6);
    CHECK(check.smallest_network > 0.01);
}

TEST_CASE("discrete SAC stays a number where actions are forbidden") {
    Plan masked = plan("sac/discrete", {}, 2, true);
    masked.columns.push_back(flag_column("action_mask", {kActions}));
    masked.columns.push_back(flag_column("next.action_mask", {kActions}));
    Assembly assembly(masked);
    assembly.build();
    assembly.load();
    FilledBatch batch(assembly.columns(), {.rows = 2}, 5);
    batch.set("action", {1, 2});
    batch.set("action_mask", {0, 1, 1, 0, 1, 1, 1, 0});
    batch.set("next.action_mask", {1, 0, 0, 0, 0, 1, 1, 1});
    const Outcome outcome = assembly.run(batch);
    for (const auto& [name, loss] : outcome.losses) {
        CAPTURE(name);
        CHECK(std::abs(loss) < 100);
    }
    CHECK(check_gradients(assembly, batch).worst <= 1e-6);
}

TEST_CASE("discrete CQL is Q-learning whose values of other actions are pushed down") {
    for (const bool double_q : {false, true}) {
        Assembly assembly(plan("cql/discrete", {{"double", double_q}, {"cql_weight", 0.8}}, 1, false));
        assembly.build();
        assembly.load();
        const Network& q = assembly.network("qvalue");
        const FilledBatch batch(assembly.columns(), {.rows = 13}, 5);
        double error = 0;
        double gap = 0;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            const Vector values = mlp(q, q.live, batch.row("observation", i));
            const Vector target = mlp(q, q.target, batch.row("next.observation", i));
            const Vector chooser = double_q ? mlp(q, q.live, batch.row("next.observation", i)) : target;
            const auto best = static_cast<std::size_t>(std::ranges::max_element(chooser) - chooser.begin());
            const double y = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * target[best];
            const auto taken = static_cast<std::size_t>(batch["action"][i]);
            error += 0.5 * (values[taken] - y) * (values[taken] - y) / 13;
            gap -= 0.8 * test::log_softmax(values)[taken] / 13;
        }
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("q") == Catch::Approx(error).epsilon(1e-12));
        CHECK(outcome.losses.at("cql") == Catch::Approx(gap).epsilon(1e-12));
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.largest > 0.01);
    }
}

}  // namespace discrete_test
