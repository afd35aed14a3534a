// SPDX-License-Identifier: Apache-2.0
// Draws of tenon/heads.hpp: what they say of their own probability, how they are spread, what happens at the bounds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random/key.hpp"
#include "by_hand.hpp"
#include "heads.hpp"
#include "support/catch.hpp"

namespace heads_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan categorical_plan(std::int64_t n, DType real = DType::kF64) {
    return plan_of({"", "CategoricalHead", {"logits"}, n, categorical_column("action", n)}, real);
}

Plan squashed_plan(const std::vector<double>& low, const std::vector<double>& high, DType real = DType::kF64) {
    const auto n = static_cast<std::int64_t>(low.size());
    return plan_of({"", "TanhNormalHead", {"loc", "scale"}, n, bounded_column("action", low, high)}, real);
}

void fill(FilledBatch& batch, std::string_view key, const std::vector<double>& row) {
    std::vector<double> values;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        values.insert(values.end(), row.begin(), row.end());
    }
    batch.set(key, values);
}

double normal_distribution(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// Pearson's sum for counts against probabilities.
double chi_square(const std::vector<double>& drawn, const std::vector<double>& probabilities) {
    double sum = 0;
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
        const double expected = static_cast<double>(drawn.size()) * probabilities[k];
        const auto count = static_cast<double>(std::ranges::count(drawn, static_cast<double>(k)));
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

std::vector<double> probabilities_of(const std::vector<double>& logits) {
    std::vector<double> out = test::log_softmax(logits);
    std::ranges::for_each(out, [](double& x) { x = std::exp(x); });
    return out;
}

}  // namespace

TEST_CASE("a categorical draw comes with its own log-prob") {
    Assembly assembly(categorical_plan(6));
    const FilledBatch batch(assembly.columns(), {.rows = 500}, 61);
    const Columns out = assembly.forward("prepare", batch);
    for (std::size_t i = 0; i < 500; ++i) {
        const Vector expected = test::log_softmax(batch.row("logits", i));
        const double action = out.at("drawn")[i];
        REQUIRE((action >= 0 && action < 6 && action == std::floor(action)));
        CHECK(out.at("drawn.log_prob")[i] == Catch::Approx(expected[static_cast<std::size_t>(action)]).epsilon(1e-13));
        CHECK(out.at("drawn.log_prob")[i] == out.at("drawn.again")[i]);
        CHECK(out.at("mode")[i] == static_cast<double>(std::ranges::max_element(expected) - expected.begin()));
        double entropy = 0;
        for (const double logp : expected) {
            entropy -= std::exp(logp) * logp;
        }
        CHECK(out.at("entropy")[i] == Catch::Approx(entropy).epsilon(1e-13));
    }
}

// The 0.0001 point of the chi-square distribution of 4 degrees of freedom is 23.5.
TEST_CASE("categorical draws are as frequent as their probabilities") {
    const std::vector<double> logits = {-1.5, 0.2, 2.0, -0.3, 0.9};
    for (const DType real : {DType::kF64, DType::kF32}) {
        for (const std::uint64_t counter : {0U, 1U, 2U}) {
            Assembly assembly(categorical_plan(5, real));
            FilledBatch batch(assembly.columns(), {.rows = 40000}, 1);
            fill(batch, "logits", logits);
            const Columns out = assembly.forward("prepare", batch, {.counter = counter});
            CHECK(chi_square(out.at("drawn"), probabilities_of(logits)) < 23.5);
            // one probability wrong by a tenth is seen
            CHECK(chi_square(out.at("drawn"), probabilities_of({-1.5, 0.2, 2.1, -0.3, 0.9})) > 23.5);
        }
    }
}

TEST_CASE("a logit that stands out is always drawn, and extreme logits stay finite") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        Assembly assembly(categorical_plan(3, real));
        FilledBatch batch(assembly.columns(), {.rows = 1000}, 1);
        fill(batch, "logits", {-800, 900, 100});
        const Columns out = assembly.forward("prepare", batch);
        CHECK(std::ranges::all_of(out.at("drawn"), [](double action) { return action == 1; }));
        CHECK(std::ranges::all_of(out.at("drawn.log_prob"), [](double x) { return x == 0; }));
        CHECK(std::ranges::all_of(out.at("log_prob"), [](double x) { return std::isfinite(x); }));
        CHECK(std::ranges::all_of(out.at("entropy"), [](double x) { return x == 0; }));
    }
}

TEST_CASE("inside the bounds a tanh-normal draw has the log-prob that log_prob gives its action") {
    const std::vector<double> low = {-2, 0.25, -1};
    const std::vector<double> high = {0.5, 4, 1};
    Assembly assembly(squashed_plan(low, high));
    FilledBatch batch(assembly.columns(), {.rows = 800}, 67);
    std::vector<double> scale = batch["scale"];
    std::ranges::for_each(scale, [](double& x) { x = 0.1 + std::abs(x); });
    batch.set("scale", scale);
    const Columns out = assembly.forward("prepare", batch);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < 800; ++i) {
        double nearest = 1;  // to a bound, as a share of the range
        for (std::size_t k = 0; k < 3; ++k) {
            const double share = (out.at("drawn")[3 * i + k] - low[k]) / (high[k] - low[k]);
            REQUIRE((share >= 0 && share <= 1));
            nearest = std::min({nearest, share, 1 - share});
        }
        if (nearest > 1e-4) {
            ++inside;
            CHECK(out.at("drawn.again")[i] == Catch::Approx(out.at("drawn.log_prob")[i]).epsilon(1e-9).margin(1e-9));
        }
    }
    CHECK(inside > 400);
}

// 1.95 / sqrt(n) is the 0.001 point of Kolmogorov's distribution.
TEST_CASE("the pre-images of tanh-normal draws are normal with loc and scale") {
    const std::vector<double> low = {-2, 0.25};
    const std::vector<double> high = {0.5, 4};
    for (const std::uint64_t counter : {0U, 9U}) {
        Assembly assembly(squashed_plan(low, high));
        FilledBatch batch(assembly.columns(), {.rows = 20000}, 71);
        std::vector<double> loc = batch["loc"];
        std::ranges::for_each(loc, [](double& x) { x *= 0.5; });
        std::vector<double> scale = batch["scale"];
        std::ranges::for_each(scale, [](double& x) { x = std::min(0.1 + 0.2 * std::abs(x), 0.8); });
        batch.set("loc", loc);
        batch.set("scale", scale);
        const Columns out = assembly.forward("prepare", batch, {.counter = counter});
        std::vector<double> first;
        std::vector<double> second;
        double product = 0;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            for (std::size_t k = 0; k < 2; ++k) {
                const double share = (out.at("drawn")[2 * i + k] - low[k]) / (high[k] - low[k]);
                const double noise = (std::atanh(2 * share - 1) - loc[2 * i + k]) / scale[2 * i + k];
                (k == 0 ? first : second).push_back(noise);
            }
            product += first.back() * second.back() / static_cast<double>(batch.rows());
        }
        const double limit = 1.95 / std::sqrt(static_cast<double>(batch.rows()));
        CHECK(kolmogorov_distance(first, normal_distribution) < limit);
        CHECK(kolmogorov_distance(second, normal_distribution) < limit);
        CHECK(std::abs(product) < 4 / std::sqrt(static_cast<double>(batch.rows())));
        std::ranges::for_each(first, [](double& x) { x += 0.05; });
        CHECK(kolmogorov_distance(first, normal_distribution) > limit);  // a shift of a twentieth is seen
    }
}

TEST_CASE("actions at their bounds have finite log-probs") {
    const std::vector<double> low = {-2, 0.25};
    const std::vector<double> high = {0.5, 4};
    for (const DType real : {DType::kF64, DType::kF32}) {
        Assembly assembly(squashed_plan(low, high, real));
        FilledBatch batch(assembly.columns(), {.rows = 64}, 73);
        std::vector<double> loc;
        std::vector<double> action;
        for (std::size_t i = 0; i < 64; ++i) {
            const double side = i % 2 == 0 ? -1 : 1;
            loc.insert(loc.end(), {side * 0.5 * static_cast<double>(i), side * 300});
            action.push_back(i % 4 < 2 ? low[0] : high[0]);
            action.push_back(i % 2 == 0 ? low[1] : high[1]);
        }
        batch.set("loc", loc);
        batch.set("action", action);
        fill(batch, "scale", {0.7, 40});
        const Columns out = assembly.forward("prepare", batch);
        for (const char* name : {"log_prob", "drawn.log_prob", "drawn.again"}) {
            CAPTURE(name, real == DType::kF32);
            CHECK(std::ranges::all_of(out.at(name), [](double x) { return std::isfinite(x); }));
        }
        std::size_t at_bound = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            const double drawn = out.at("drawn")[2 * i + 1];
            at_bound += drawn == low[1] || drawn == high[1] ? 1U : 0U;
        }
        CHECK(at_bound > 32);
    }
}

TEST_CASE("modes and draws are never outside their bounds") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        const tn_key key = make_key(79, "bounds");
        std::vector<double> low;
        std::vector<double> high;
        for (std::uint64_t k = 0; k < 400; ++k) {
            const tn_random_block block = tn_philox(key, k);
            const double from = 20 * tn_uniform(block.word[0], block.word[1]) - 10;
            const double width = 20 * tn_uniform(block.word[2], block.word[3]);
            // bounds as an env of that dtype has them
            low.push_back(real == DType::kF32 ? static_cast<double>(static_cast<float>(from)) : from);
            high.push_back(real == DType::kF32 ? static_cast<double>(static_cast<float>(from + width)) : from + width);
        }
        Assembly assembly(squashed_plan(low, high, real));
        FilledBatch batch(assembly.columns(), {.rows = 6}, 1);
        std::vector<double> loc;
        for (const double each : {-60.0, -4.0, -0.3, 1.0, 5.0, 60.0}) {
            loc.insert(loc.end(), low.size(), each);
        }
        batch.set("loc", loc);
        fill(batch, "scale", std::vector<double>(low.size(), 2));
        const Columns out = assembly.forward("prepare", batch);
        std::size_t outside = 0;
        for (const char* name : {"mode", "drawn"}) {
            for (std::size_t i = 0; i < out.at(name).size(); ++i) {
                const double x = out.at(name)[i];
                outside += x >= low[i % low.size()] && x <= high[i % low.size()] ? 0U : 1U;
            }
        }
        CAPTURE(real == DType::kF32);
        CHECK(outside == 0);
    }
}

}  // namespace heads_test
