// SPDX-License-Identifier: Apache-2.0
// C51 and QR-DQN: losses against plain loops, gradients against central differences.
#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace distributional_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kActions = 3;
constexpr std::size_t kAtoms = 7;
constexpr std::size_t kSteps = 3;

Plan plan(const std::string& kind, bool double_q, bool several) {
    Options body = {{"hidden", std::vector<std::int64_t>{6}}};
    if (kind == "c51") {
        body.insert(body.end(), {{"atoms", std::int64_t{kAtoms}}, {"v_min", -1.0}, {"v_max", 2.0}});
    } else {
        body.push_back({"quantiles", std::int64_t{kAtoms}});
    }
    Plan out = {
        .columns = {real_column("observation", {3}), categorical_column("action", kActions),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue", .component = "mlp/" + kind, .options = body}},
        .objective = "dqn/" + kind,
        .options = {{"gamma", 0.9}, {"double", double_q}}};
    if (several) {
        out.columns.push_back(real_column("next.rewards", {kSteps}));
        out.columns.push_back(real_column("steps"));
    }
    return out;
}

double atom(std::size_t k) {
    return -1 + 0.5 * static_cast<double>(k);
}

Vector part(const Vector& all, std::size_t action) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(action * kAtoms);
    return {first, first + kAtoms};
}

Vector softmax(const Vector& logits) {
    Vector out = test::log_softmax(logits);
    std::ranges::for_each(out, [](double& x) { x = std::exp(x); });
    return out;
}

double mean_of(const std::string& kind, const Vector& numbers) {
    double out = 0;
    const Vector p = kind == "c51" ? softmax(numbers) : Vector(kAtoms, 1.0 / kAtoms);
    for (std::size_t k = 0; k < kAtoms; ++k) {
        out += p[k] * (kind == "c51" ? atom(k) : numbers[k]);
    }
    return out;
}

std::size_t best(const std::string& kind, const Vector& all) {
    std::size_t out = 0;
    for (std::size_t action = 1; action < kActions; ++action) {
        out = mean_of(kind, part(all, action)) > mean_of(kind, part(all, out)) ? action : out;
    }
    return out;
}

// Word for word as algorithm 1 of Bellemare et al. 2017.
double cross_entropy(const Vector& logits, const Vector& next_values, double reward, double gamma) {
    Vector m(kAtoms);
    const Vector p = softmax(next_values);
    for (std::size_t j = 0; j < kAtoms; ++j) {
        const double moved = std::clamp(reward + gamma * atom(j), -1.0, 2.0);
        const double b = (moved + 1) / 0.5;
        const double l = std::floor(b);
        const double u = std::ceil(b);
        m[static_cast<std::size_t>(l)] += p[j] * (u - b);
        m[static_cast<std::size_t>(u)] += p[j] * (b - l);
        m[static_cast<std::size_t>(l)] += l == u ? p[j] : 0;
    }
    const Vector log_p = test::log_softmax(logits);
    double out = 0;
    for (std::size_t k = 0; k < kAtoms; ++k) {
        out -= m[k] * log_p[k];
    }
    return out;
}

// Algorithm 1 of Dabney et al. 2018, kappa = 1.
double quantile_loss(const Vector& quantiles, const Vector& next_values, double reward, double gamma) {
    double out = 0;
    for (std::size_t i = 0; i < kAtoms; ++i) {
        const double tau = (2 * static_cast<double>(i) + 1) / (2 * kAtoms);
        for (std::size_t j = 0; j < kAtoms; ++j) {
            const double error = reward + gamma * next_values[j] - quantiles[i];
            out += std::abs(tau - (error < 0 ? 1 : 0)) * test::smooth_l1(error) / kAtoms;
        }
    }
    return out;
}

}  // namespace

namespace {

// What a row's steps earned and what is left of a return after them.
struct Bootstrap {
    double reward;
    double discount;
};
Bootstrap bootstrap_of(const FilledBatch& batch, std::size_t row, bool several) {
    if (!several) {
        return {batch["next.reward"][row], 0.9 * (1 - batch["next.terminated"][row])};
    }
    Bootstrap out{0, 1};
    for (std::size_t k = 0; k < static_cast<std::size_t>(batch["steps"][row]); ++k, out.discount *= 0.9) {
        out.reward += out.discount * batch["next.rewards"][kSteps * row + k];
    }
    out.discount *= 1 - batch["next.terminated"][row];
    return out;
}

void check(const std::string& kind, bool double_q, bool several) {
    CAPTURE(kind, double_q, several);
    Assembly assembly(plan(kind, double_q, several));
    assembly.build();
    assembly.load();
    const Network& q = assembly.network("qvalue");
    FilledBatch batch(assembly.columns(), {.rows = 13}, 5);
    if (several) {
        Vector steps(13);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i] = static_cast<double>(1 + i % kSteps);
        }
        batch.set("steps", steps);
    }
    double expected = 0;
    double value = 0;
    int other_choice = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const auto taken = static_cast<std::size_t>(batch["action"][i]);
        const Vector now = part(mlp(q, q.live, batch.row("observation", i)), taken);
        const Vector target = mlp(q, q.target, batch.row("next.observation", i));
        const Vector live = mlp(q, q.live, batch.row("next.observation", i));
        const std::size_t chosen = best(kind, double_q ? live : target);
        other_choice += best(kind, live) != best(kind, target) ? 1 : 0;
        const auto [reward, discount] = bootstrap_of(batch, i, several);
        expected += (kind == "c51" ? cross_entropy(now, part(target, chosen), reward, discount)
                                   : quantile_loss(now, part(target, chosen), reward, discount)) /
                    13;
        value += mean_of(kind, now) / 13;
    }
    REQUIRE(other_choice > 0);
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("q") == Catch::Approx(expected).epsilon(1e-12));
    CHECK(outcome.metrics.at("q_value") == Catch::Approx(value).epsilon(1e-12));
    const GradientCheck gradients = check_gradients(assembly, batch);
    CHECK(gradients.worst <= 1e-6);
    CHECK(gradients.largest > 0.01);
}

}  // namespace

TEST_CASE("C51's and QR-DQN's losses are those of the papers, and their gradients those of central differences") {
    for (const std::string kind : {"c51", "qr"}) {
        for (const bool double_q : {true, false}) {
            check(kind, double_q, false);
        }
        check(kind, true, true);
    }
}

}  // namespace distributional_test
