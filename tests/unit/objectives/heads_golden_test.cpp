// SPDX-License-Identifier: Apache-2.0
// Log-probabilities, entropies, modes and scales of tenon/heads.hpp against torch.distributions
// (tests/golden/heads.txt).
#include <algorithm>
#include <cmath>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

using namespace tenon;
using namespace tenon::test;

namespace {

double worst_difference(const std::vector<double>& a, const std::vector<double>& expected) {
    REQUIRE(a.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double error = std::abs(a[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

Columns compute(Plan plan, const GoldenCase& golden, const std::vector<std::pair<std::string, std::string>>& columns) {
    Assembly assembly(std::move(plan));
    Batch batch(assembly.columns(), {.rows = static_cast<std::int64_t>(golden.number("rows"))}, 1);
    for (const auto& [key, list] : columns) {
        batch.set(key, golden[list]);
    }
    return assembly.forward("prepare", batch);
}

Plan squashed_plan(const std::vector<double>& low, const std::vector<double>& high) {
    return {.columns = {real_column("loc", {3}), real_column("scale", {3}), bounded_column("action", low, high)},
            .networks = {},
            .objective = "test/TanhNormalHead",
            .options = {}};
}

}  // namespace

TEST_CASE("a categorical head's log-prob, entropy and mode are torch's") {
    const GoldenCase golden = golden_case("heads.txt", "categorical");
    const Columns out = compute({.columns = {real_column("logits", {5}), categorical_column("action", 5)},
                                 .networks = {},
                                 .objective = "test/CategoricalHead",
                                 .options = {}},
                                golden, {{"logits", "logits"}, {"action", "action"}});
    CHECK(worst_difference(out.at("log_prob"), golden["log_prob"]) <= 1e-12);
    CHECK(worst_difference(out.at("entropy"), golden["entropy"]) <= 1e-12);
    CHECK(out.at("mode") == golden["mode"]);
}

TEST_CASE("a tanh-normal head's log-prob and mode are torch's") {
    const GoldenCase golden = golden_case("heads.txt", "tanh_normal");
    const Columns out = compute(squashed_plan(golden["low"], golden["high"]), golden,
                                {{"loc", "loc"}, {"scale", "scale"}, {"action", "action"}});
    CHECK(worst_difference(out.at("log_prob"), golden["log_prob"]) <= 1e-11);
    CHECK(worst_difference(out.at("mode"), golden["mode"]) <= 1e-14);
}

TEST_CASE("positive scales are TorchRL's biased softplus") {
    const GoldenCase golden = golden_case("heads.txt", "scale");
    const Columns out = compute(squashed_plan({0, 0, 0}, {1, 1, 1}), golden, {{"loc", "raw"}});
    CHECK(worst_difference(out.at("positive"), golden["scale"]) <= 1e-12);
}
