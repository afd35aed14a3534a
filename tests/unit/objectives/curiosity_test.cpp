// SPDX-License-Identifier: Apache-2.0
// The rewards of curious networks: the env's plus the bonus, which is the error in units of its running deviation.
#include <algorithm>
#include <cmath>

#include "assembly.hpp"
#include "by_hand.hpp"
#include "support/catch.hpp"

namespace curiosity_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kRows = 9;

Plan plan_of(const std::string& component, bool normalise, double clip = 5) {
    return {.columns = {real_column("observation", {3}), real_column("next.observation", {3}),
                        categorical_column("action", 2), real_column("stored.next.reward")},
            .networks = {{.role = "curiosity",
                          .component = component,
                          .options = {{"hidden", std::vector<std::int64_t>{5}},
                                      {"size", std::int64_t{4}},
                                      {"weight", 0.3},
                                      {"env_weight", 2.0},
                                      {"bonus_clip", clip},
                                      {"normalise_observation", false},
                                      {"normalise_bonus", normalise}}}},
            .objective = "test/WeighsReward",
            .options = {}};
}

// What bonuses are without normalisation, the errors of the rows.
std::vector<double> errors_of(const std::string& component) {
    Assembly assembly(plan_of(component, false));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = kRows}, 5);
    const Outcome outcome = assembly.run(batch);
    double mean = 0;
    for (const double bonus : outcome.columns.at("bonus")) {
        mean += bonus / kRows;
    }
    CHECK(outcome.losses.at("error") == Catch::Approx(mean).epsilon(1e-12));
    return outcome.columns.at("bonus");
}

}  // namespace

TEST_CASE("a curious network's reward is the env's plus its error in units of the running deviation, clipped") {
    for (const std::string component : {"curiosity/distillation", "curiosity/dynamics"}) {
        CAPTURE(component);
        const std::vector<double> errors = errors_of(component);
        double mean = 0;
        double square = 0;
        for (const double error : errors) {
            mean += error / kRows;
            square += error * error / kRows;
        }
        const double clip = 1.0001 * *std::ranges::min_element(errors) / std::sqrt(square - mean * mean);
        Assembly assembly(plan_of(component, true, clip));
        assembly.build();
        assembly.load();
        const FilledBatch batch(assembly.columns(), {.rows = kRows}, 5);
        assembly.run(batch);  // the first batch outweighs the moments' beginning: 9 rows against a weight of 1e-4
        const Outcome outcome = assembly.run(batch);
        int clipped = 0;
        for (std::size_t row = 0; row < kRows; ++row) {
            const double plain = errors[row] / std::sqrt(square - mean * mean);
            const double bonus = std::min(plain, clip);
            clipped += plain > clip ? 1 : 0;
            CHECK(outcome.columns.at("bonus")[row] == Catch::Approx(bonus).epsilon(1e-3));
            CHECK(outcome.columns.at("reward")[row] ==
                  Catch::Approx(2 * batch["stored.next.reward"][row] + 0.3 * outcome.columns.at("bonus")[row])
                      .epsilon(1e-12));
        }
        CHECK(clipped == kRows - 1);
    }
}

}  // namespace curiosity_test
