// SPDX-License-Identifier: Apache-2.0
// Deep Q-learning: its loss against plain loops, its gradients against central differences.
#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace dqn_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct Variant {
    bool double_q;
    std::string distance;
    std::string activation;
    bool masked = false;
};

Plan plan(const Variant& variant) {
    Plan out = {
        .columns = {real_column("observation", {3}), categorical_column("action", 4),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue",
                      .component = "mlp/q_value",
                      .options = {{"hidden", std::vector<std::int64_t>{6, 5}}, {"activation", variant.activation}}}},
        .objective = "dqn/dqn",
        .options = {{"gamma", 0.9}, {"double", variant.double_q}, {"loss", variant.distance}}};
    for (const char* key : {"action_mask", "next.action_mask"}) {
        if (variant.masked) {
            out.columns.push_back(flag_column(key, {4}));
        }
    }
    return out;
}

FilledBatch batch_for(const Assembly& assembly) {
    FilledBatch batch(assembly.columns(), {.rows = 13}, 5);
    // some errors on either side of the corner of the Huber loss
    std::vector<double> reward = batch["next.reward"];
    std::ranges::for_each(reward, [](double& r) { r *= 2; });
    batch.set("next.reward", reward);
    return batch;
}

// Where nothing is allowed any more, the episode has terminated.
void terminate_where_nothing_is_allowed(FilledBatch& batch) {
    std::vector<double> terminated = batch["next.terminated"];
    int nothing = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector mask = batch.row("next.action_mask", i);
        if (std::ranges::count(mask, 1.0) == 0) {
            terminated[i] = 1;
            ++nothing;
        }
    }
    REQUIRE(nothing > 0);
    REQUIRE(nothing < 10);
    batch.set("next.terminated", terminated);
}

struct ByHand {
    double loss = 0;
    double q_value = 0;
    double td_error = 0;
    int beyond_corner = 0;
    std::vector<double> priorities;
};

ByHand by_hand(const Network& network, const FilledBatch& batch, const Variant& variant) {
    ByHand out;
    const auto rows = static_cast<double>(batch.rows());
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector q = mlp(network, network.live, batch.row("observation", i), variant.activation);
        const Vector live = mlp(network, network.live, batch.row("next.observation", i), variant.activation);
        const Vector target = mlp(network, network.target, batch.row("next.observation", i), variant.activation);
        Vector chooser = variant.double_q ? live : target;
        for (std::size_t k = 0; k < 4 && variant.masked; ++k) {
            chooser[k] = batch.row("next.action_mask", i)[k] == 1 ? chooser[k] : -INFINITY;
        }
        const auto best = static_cast<std::size_t>(std::ranges::max_element(chooser) - chooser.begin());
        const double y = batch["next.reward"][i] + 0.9 * (1 - batch["next.terminated"][i]) * target[best];
        const double chosen = q[static_cast<std::size_t>(batch["action"][i])];
        const double error = chosen - y;
        out.loss += (variant.distance == "huber" ? test::smooth_l1(error) : error * error) / rows;
        out.q_value += chosen / rows;
        out.td_error += std::abs(error) / rows;
        out.priorities.push_back(std::abs(error));
        out.beyond_corner += std::abs(error) > 1 ? 1 : 0;
    }
    return out;
}

}  // namespace

TEST_CASE("DQN's loss and metrics are those of the papers, and its gradients those of central differences") {
    for (const Variant& variant :
         {Variant{true, "huber", "tanh"}, Variant{true, "l2", "silu"}, Variant{false, "huber", "relu"},
          Variant{false, "l2", "tanh"}, Variant{true, "huber", "tanh", true}, Variant{false, "huber", "tanh", true}}) {
        CAPTURE(variant.double_q, variant.distance, variant.activation, variant.masked);
        Assembly assembly(plan(variant));
        assembly.build();
        assembly.load();
        FilledBatch batch = batch_for(assembly);
        if (variant.masked) {
            terminate_where_nothing_is_allowed(batch);
        }
        const Network& network = assembly.network("qvalue");
        const ByHand expected = by_hand(network, batch, variant);
        REQUIRE(expected.beyond_corner > 1);
        REQUIRE(expected.beyond_corner < 12);
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("q") == Catch::Approx(expected.loss).epsilon(1e-13));
        CHECK(outcome.metrics.at("q_value") == Catch::Approx(expected.q_value).epsilon(1e-13));
        CHECK(outcome.metrics.at("td_error") == Catch::Approx(expected.td_error).epsilon(1e-13));
        const std::vector<double>& priorities = outcome.columns.at("priority");
        REQUIRE(priorities.size() == batch.rows());
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            CHECK(priorities[i] == Catch::Approx(expected.priorities[i]).epsilon(1e-12));
        }
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.largest > 0.01);
    }
}

TEST_CASE("DQN on rows of several steps: discounted rewards of the real ones, then what the last led to") {
    const Variant variant{true, "l2", "tanh"};
    Plan several = plan(variant);
    several.columns.push_back(real_column("next.rewards", {3}));
    several.columns.push_back(real_column("steps"));
    Assembly assembly(several);
    assembly.build();
    assembly.load();
    FilledBatch batch = batch_for(assembly);
    std::vector<double> steps(batch.rows());
    std::vector<double> earned(batch.rows());
    const std::vector<double> rewards = batch["next.rewards"];
    double expected = 0;
    const Network& network = assembly.network("qvalue");
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        steps[i] = static_cast<double>(1 + i % 3);
        double discount = 1;
        for (std::size_t k = 0; k < 1 + i % 3; ++k, discount *= 0.9) {
            earned[i] += discount * rewards[3 * i + k];
        }
        const Vector q = mlp(network, network.live, batch.row("observation", i), "tanh");
        const Vector live = mlp(network, network.live, batch.row("next.observation", i), "tanh");
        const Vector target = mlp(network, network.target, batch.row("next.observation", i), "tanh");
        const auto best = static_cast<std::size_t>(std::ranges::max_element(live) - live.begin());
        const double y = earned[i] + discount * (1 - batch["next.terminated"][i]) * target[best];
        const double error = q[static_cast<std::size_t>(batch["action"][i])] - y;
        expected += error * error / static_cast<double>(batch.rows());
    }
    batch.set("steps", steps);
    CHECK(assembly.run(batch).losses.at("q") == Catch::Approx(expected).epsilon(1e-12));
    CHECK(by_hand(network, batch, variant).loss != Catch::Approx(expected).epsilon(1e-3));
}

TEST_CASE("DQN's two ways to value the next state differ on this batch") {
    Assembly assembly(plan({true, "l2", "tanh"}));
    assembly.build();
    const Network& network = assembly.network("qvalue");
    const FilledBatch batch = batch_for(assembly);
    const double twice = by_hand(network, batch, {true, "l2", "tanh"}).loss;
    const double once = by_hand(network, batch, {false, "l2", "tanh"}).loss;
    CHECK(std::abs(twice - once) > 1e-3);
}

}  // namespace dqn_test
