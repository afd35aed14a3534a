// SPDX-License-Identifier: Apache-2.0
// Behavioural cloning, a discriminator and implicit Q-learning: losses against plain loops, gradients against central
// differences.
#include <algorithm>
#include <cmath>

#include "actor_rig.hpp"
#include "sac_rig.hpp"
#include "support/catch.hpp"

namespace imitation_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const Options kBody = {{"hidden", std::vector<std::int64_t>{5}}};

Plan discrete(const std::string& objective, const Options& options) {
    Plan plan = actor_plan(objective, options);
    plan.networks.push_back({.role = "qvalue", .component = "mlp/q_value", .options = kBody, .count = 2});
    return plan;
}

Plan continuous(const std::string& objective, const Options& options) {
    Plan plan = sac_plan();
    plan.objective = objective;
    plan.options = options;
    plan.networks.push_back({.role = "value", .component = "mlp/value", .options = kBody});
    return plan;
}

void check_gradients_of(Assembly& assembly, const FilledBatch& batch) {
    const GradientCheck check = check_gradients(assembly, batch);
    CHECK(check.worst <= 1e-6);
    CHECK(check.smallest_network > 0.01);
}

// Of the action in the batch; by continuous critics, or by discrete ones.
double q_of(const Network& q, const Slab& slab, const FilledBatch& batch, std::size_t row, std::size_t member,
            bool index) {
    Vector seen = batch.row("observation", row);
    if (index) {
        return mlp(q, slab, seen, "tanh", member)[static_cast<std::size_t>(batch["action"][row])];
    }
    const Vector action = batch.row("action", row);
    seen.insert(seen.end(), action.begin(), action.end());
    return mlp(q, slab, seen, "tanh", member)[0];
}

struct ByHand {
    double value = 0;
    double critic = 0;
    double clone = 0;
    int better = 0;
    int limited = 0;
};

// The actor's loss only where the actor is discrete.
ByHand iql_by_hand(Assembly& assembly, const FilledBatch& batch, bool index, double limit) {
    const Network& q = assembly.network("qvalue");
    const Network& v = assembly.network("value");
    const auto rows = static_cast<double>(batch.rows());
    ByHand out;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double least = std::min(q_of(q, q.target, batch, i, 0, index), q_of(q, q.target, batch, i, 1, index));
        const double advantage = least - value_of(v, batch, i);
        out.value += (advantage > 0 ? 0.8 : 0.2) * advantage * advantage / rows;
        out.better += advantage > 0 ? 1 : 0;
        const double y = batch["next.reward"][i] +
                         0.9 * (1 - batch["next.terminated"][i]) * value_of(v, batch, i, "next.observation");
        for (const std::size_t member : {0U, 1U}) {
            out.critic += test::smooth_l1(q_of(q, q.live, batch, i, member, index) - y) / rows;
        }
        const double weight = std::min(std::exp(3 * advantage), limit);
        out.limited += weight == limit ? 1 : 0;
        out.clone -= index ? weight * log_prob(assembly.network("actor"), batch, i) / rows : 0;
    }
    return out;
}

}  // namespace

TEST_CASE("BC's loss is the likelihood of the actions, or the distance from them") {
    Assembly likely(discrete("bc/bc", {}));
    likely.build();
    likely.load();
    const FilledBatch choices(likely.columns(), {.rows = 12}, 7);
    double expected = 0;
    for (std::size_t i = 0; i < choices.rows(); ++i) {
        expected -= log_prob(likely.network("actor"), choices, i) / 12;
    }
    CHECK(likely.run(choices).losses.at("clone") == Catch::Approx(expected).epsilon(1e-12));
    check_gradients_of(likely, choices);

    for (const std::string kind : {"l2", "huber"}) {
        Assembly near(continuous("bc/bc", {{"loss", kind}}));
        near.build();
        near.load();
        const FilledBatch batch = sac_batch(near);
        const Network& actor = near.network("actor");
        double distance = 0;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            const Vector action =
                squash(mlp(actor, actor.live, batch.row("observation", i)), {0, 0}, kLow, kHigh).action;
            for (std::size_t k = 0; k < 2; ++k) {
                const double error = action[k] - batch.row("action", i)[k];
                distance += (kind == "l2" ? error * error : test::smooth_l1(error)) / 22;
            }
        }
        CHECK(near.run(batch).losses.at("clone") == Catch::Approx(distance).epsilon(1e-12));
        check_gradients_of(near, batch);
    }
}

TEST_CASE("a discriminator's losses are the cross-entropies of its answers, less their entropy") {
    Plan plan{.columns = {real_column("observation", {3}), real_column("expert.observation", {3})},
              .networks = {{.role = "discriminator", .component = "mlp/value", .options = kBody}},
              .objective = "gail/discriminator",
              .options = {{"entropy", 0.01}}};
    Assembly assembly(std::move(plan));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = 13}, 31);
    const Network& network = assembly.network("discriminator");
    double own = 0;
    double expert = 0;
    double right = 0;
    const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double of_own = 1 / (1 + std::exp(-value_of(network, batch, i)));
        const double of_expert = 1 / (1 + std::exp(-value_of(network, batch, i, "expert.observation")));
        own += (-std::log(1 - of_own) - 0.01 * entropy(of_own)) / 13;
        expert += (-std::log(of_expert) - 0.01 * entropy(of_expert)) / 13;
        right += (of_expert > 0.5 ? 1.0 : 0.0) / 13;
    }
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("own") == Catch::Approx(own).epsilon(1e-12));
    CHECK(outcome.losses.at("expert") == Catch::Approx(expert).epsilon(1e-12));
    CHECK(outcome.metrics.at("expert_right") == Catch::Approx(right).epsilon(1e-12));
    check_gradients_of(assembly, batch);
}

TEST_CASE("a discriminator's penalties on its logit are those of slopes, as WGAN-GP and R1 have them") {
    for (const bool at_expert : {true, false}) {
        CAPTURE(at_expert);
        Plan plan{.columns = {real_column("observation", {3}), real_column("expert.observation", {3})},
                  .networks = {{.role = "discriminator", .component = "mlp/value", .options = kBody}},
                  .objective = "gail/discriminator",
                  .options = {{"gradient_penalty", true},
                              {"penalty_of", std::string("logit")},
                              {"penalty_at", std::string(at_expert ? "expert" : "between")},
                              {"penalty_columns", std::vector<std::string>{"observation"}},
                              {"penalty_coefficient", 2.0},
                              {"slope", at_expert ? 0.0 : 1.0}}};
        Assembly assembly(std::move(plan));
        const FilledBatch batch(assembly.columns(), {.rows = 13}, 31);
        std::vector<double> shares;
        for (std::size_t i = 0; i < 39; ++i) {
            shares.push_back(static_cast<double>(i) / 40);
        }
        if (!at_expert) {
            assembly.draws["gail/discriminator.update/share.observation"] = shares;
        }
        assembly.build();
        assembly.load();
        const Network& network = assembly.network("discriminator");
        double penalty = 0;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            Vector point = batch.row("expert.observation", i);
            for (std::size_t k = 0; k < 3 && !at_expert; ++k) {
                const double share = shares[3 * i + k];
                point[k] = share * batch.row("observation", i)[k] + (1 - share) * point[k];
            }
            double squares = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                Vector below = point;
                Vector above = point;
                below[k] -= 1e-5;
                above[k] += 1e-5;
                const double slope =
                    (mlp(network, network.live, above)[0] - mlp(network, network.live, below)[0]) / 2e-5;
                squares += slope * slope;
            }
            const double off = std::sqrt(squares) - (at_expert ? 0 : 1);
            penalty += 2 * off * off / 13;
        }
        CHECK(assembly.run(batch).losses.at("gradient_penalty") == Catch::Approx(penalty).epsilon(1e-7));
        check_gradients_of(assembly, batch);
    }
}

TEST_CASE("AWR's value learns returns, and its actor clones the better actions") {
    Plan plan = discrete("awr/awr", {{"temperature", 2.0}, {"weight_limit", 1.5}});
    plan.columns.push_back(real_column("return_to_go", {}));
    Assembly assembly(std::move(plan));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = 14}, 37);
    double value = 0;
    double clone = 0;
    int limited = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double advantage = batch["return_to_go"][i] - value_of(assembly.network("value"), batch, i);
        const double weight = std::min(std::exp(2 * advantage), 1.5);
        limited += weight == 1.5 ? 1 : 0;
        value += advantage * advantage / 14;
        clone -= weight * log_prob(assembly.network("actor"), batch, i) / 14;
    }
    REQUIRE(limited > 0);
    REQUIRE(limited < 14);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("value.return") == Catch::Approx(value).epsilon(1e-12));
    CHECK(outcome.losses.at("actor.clone") == Catch::Approx(clone).epsilon(1e-12));
    check_gradients_of(assembly, batch);
}

TEST_CASE("IQL's losses are those of the paper, for continuous and for discrete actions") {
    const double limit = 1.2;
    const Options options = {{"gamma", 0.9}, {"expectile", 0.8}, {"temperature", 3.0}, {"weight_limit", limit}};
    for (const bool index : {false, true}) {
        CAPTURE(index);
        Assembly assembly(index ? discrete("iql/iql", options) : continuous("iql/iql", options));
        assembly.build();
        assembly.load();
        REQUIRE(assembly.stages.size() == 3);
        const FilledBatch batch(assembly.columns(), {.rows = 14}, 29);
        const ByHand expected = iql_by_hand(assembly, batch, index, limit);
        for (const int count : {expected.better, expected.limited}) {
            REQUIRE(count > 0);
            REQUIRE(count < 14);
        }
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("value.expectile") == Catch::Approx(expected.value).epsilon(1e-12));
        CHECK(outcome.losses.at("critic.q") == Catch::Approx(expected.critic).epsilon(1e-12));
        if (index) {
            CHECK(outcome.losses.at("actor.clone") == Catch::Approx(expected.clone).epsilon(1e-12));
        }
        check_gradients_of(assembly, batch);
    }
}

}  // namespace imitation_test
