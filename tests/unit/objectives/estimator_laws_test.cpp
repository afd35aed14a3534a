// SPDX-License-Identifier: Apache-2.0
// Where estimators of tenon/estimators.hpp meet each other and their closed forms.
#include <algorithm>
#include <cmath>

#include "assembly.hpp"
#include "support/catch.hpp"

namespace estimator_laws_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kSteps = 24;
constexpr std::size_t kLanes = 5;
constexpr double kGamma = 0.93;

Assembly assembled(double lambda, double limit = 1) {
    return Assembly(
        {.columns = {real_column("reward"), real_column("value"), real_column("next_value"), real_column("log_pi"),
                     real_column("log_mu"), flag_column("terminated"), flag_column("done")},
         .networks = {},
         .objective = "test/Estimators",
         .options = {{"gamma", kGamma}, {"lambda", lambda}, {"rho_max", limit}, {"c_max", limit}}});
}

// As one value network would make it: within an episode the next value of a step is the value of the next step. The
// policy that acted is the one that learns.
FilledBatch consistent(const Assembly& assembly) {
    FilledBatch batch(assembly.columns(), {.time = kSteps, .lanes = kLanes}, 17);
    std::vector<double> done = batch["done"];
    std::vector<double> next_value = batch["next_value"];
    for (std::size_t i = 0; i < done.size(); ++i) {
        done[i] = std::max(done[i], batch["terminated"][i]);
        next_value[i] = done[i] != 0 || i + kLanes >= done.size() ? next_value[i] : batch["value"][i + kLanes];
    }
    REQUIRE(std::ranges::count(done, 1.0) > std::ranges::count(batch["terminated"], 1.0));
    batch.set("done", done);
    batch.set("next_value", next_value);
    batch.set("log_mu", batch["log_pi"]);
    return batch;
}

// The rewards of the rest of the episode, discounted, and the value of where the batch or a time limit cuts it.
double discounted(const FilledBatch& batch, std::size_t row) {
    double out = 0;
    double discount = 1;
    for (; row < batch.rows(); row += kLanes) {
        out += discount * batch["reward"][row];
        discount *= kGamma;
        if (batch["terminated"][row] != 0) {
            return out;
        }
        if (batch["done"][row] != 0 || row + kLanes >= batch.rows()) {
            return out + discount * batch["next_value"][row];
        }
    }
    return out;
}

double one_step(const FilledBatch& batch, std::size_t row) {
    return batch["reward"][row] + kGamma * (1 - batch["terminated"][row]) * batch["next_value"][row];
}

void check_close(double have, double wanted) {
    CHECK(std::abs(have - wanted) <= 1e-12 * std::max(1.0, std::abs(wanted)));
}

}  // namespace

TEST_CASE("with lambda 1, GAE and TD(lambda) are the discounted rewards of the episode") {
    Assembly assembly = assembled(1);
    const FilledBatch batch = consistent(assembly);
    const Columns out = assembly.forward("prepare", batch);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        CAPTURE(row);
        check_close(out.at("gae")[row], discounted(batch, row) - batch["value"][row]);
        check_close(out.at("td_lambda")[row], discounted(batch, row));
    }
}

TEST_CASE("with lambda 0, GAE and TD(lambda) look one step ahead") {
    Assembly assembly = assembled(0);
    const FilledBatch batch = consistent(assembly);
    const Columns out = assembly.forward("prepare", batch);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        CAPTURE(row);
        check_close(out.at("gae")[row], one_step(batch, row) - batch["value"][row]);
        check_close(out.at("td_lambda")[row], one_step(batch, row));
    }
}

TEST_CASE("V-trace of the policy that acted is TD(1), wherever above 1 its ratios are clipped") {
    for (const double limit : {1.0, 2.5}) {
        Assembly assembly = assembled(1, limit);
        const FilledBatch batch = consistent(assembly);
        const Columns out = assembly.forward("prepare", batch);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            CAPTURE(limit, row);
            check_close(out.at("vtrace")[row], out.at("td_lambda")[row]);
        }
    }
}

TEST_CASE("GAE's return is TD(lambda)'s, for every lambda") {
    for (const double lambda : {0.3, 0.95}) {
        Assembly assembly = assembled(lambda);
        const FilledBatch batch = consistent(assembly);
        const Columns out = assembly.forward("prepare", batch);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            CAPTURE(lambda, row);
            check_close(out.at("gae_target")[row], out.at("td_lambda")[row]);
        }
    }
}

}  // namespace estimator_laws_test
