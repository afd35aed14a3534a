// SPDX-License-Identifier: Apache-2.0
// A categorical head under an action mask is torch's distribution over what is allowed
// (tests/golden/masked_categorical.txt), in values, draws and gradients.
#include <algorithm>
#include <cmath>

#include "golden.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace masks_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kClasses = 6;

Plan plan(DType real = DType::kF64) {
    return {.columns = {real_column("logits", {kClasses}), categorical_column("action", kClasses),
                        flag_column("action_mask", {kClasses})},
            .networks = {},
            .objective = "test/MaskedCategoricalHead",
            .options = {},
            .real = real};
}

GoldenCase golden() {
    return golden_case("masked_categorical.txt", "masked_categorical");
}

// `count` rows from row `first` on.
void fill(FilledBatch& batch, const GoldenCase& from, std::size_t first) {
    const auto part = [&](const char* list, std::size_t width) {
        const auto begin = from[list].begin() + static_cast<std::ptrdiff_t>(first * width);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(batch.rows() * width));
    };
    batch.set("logits", part("logits", kClasses));
    batch.set("action_mask", part("mask", kClasses));
    batch.set("action", part("action", 1));
}

}  // namespace

TEST_CASE("a masked categorical's log-prob, entropy and mode are torch's over what is allowed") {
    const GoldenCase expected = golden();
    const auto rows = static_cast<std::size_t>(expected.number("rows"));
    for (const DType real : {DType::kF64, DType::kF32}) {
        Assembly assembly(plan(real));
        FilledBatch batch(assembly.columns(), {.rows = static_cast<std::int64_t>(rows)}, 1);
        fill(batch, expected, 0);
        const Columns out = assembly.forward("prepare", batch);
        const double tolerance = real == DType::kF64 ? 1e-12 : 1e-5;
        CHECK(out.at("mode") == expected["mode"]);
        for (std::size_t i = 0; i < rows; ++i) {
            CAPTURE(i, real == DType::kF32);
            for (const char* name : {"log_prob", "entropy"}) {
                CHECK_THAT(out.at(name)[i], Catch::Matchers::WithinAbs(expected[name][i],
                                                                       tolerance * (1 + std::abs(expected[name][i]))));
            }
            const auto drawn = static_cast<std::size_t>(out.at("drawn")[i]);
            CHECK(expected["mask"][i * kClasses + drawn] == 1);
            if (i + 8 >= rows) {  // one category is all there is
                CHECK(out.at("log_prob")[i] == 0);
                CHECK(out.at("entropy")[i] == 0);
                CHECK(out.at("drawn.log_prob")[i] == 0);
            }
        }
    }
}

TEST_CASE("gradients under a mask are torch's, and exactly 0 for what is forbidden") {
    const GoldenCase expected = golden();
    Assembly assembly(plan());
    assembly.build();
    assembly.load();
    const Network& network = assembly.network("objective");
    for (std::size_t i = 0; i < static_cast<std::size_t>(expected.number("rows")); ++i) {
        FilledBatch batch(assembly.columns(), {.rows = 1}, 1);
        fill(batch, expected, i);
        assembly.run(batch);
        const std::vector<double> gradient = numbers(network, network.gradient);
        REQUIRE(gradient.size() == kClasses);
        for (std::size_t k = 0; k < kClasses; ++k) {
            CAPTURE(i, k);
            CHECK_THAT(gradient[k], Catch::Matchers::WithinAbs(expected["gradient"][i * kClasses + k], 1e-12));
            CHECK((expected["mask"][i * kClasses + k] == 1 || gradient[k] == 0));
        }
    }
}

TEST_CASE("what is forbidden is never drawn, even where it alone looks good") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        Assembly assembly(plan(real));
        FilledBatch batch(assembly.columns(), {.rows = 20000}, 1);
        std::vector<double> logits;
        std::vector<double> mask;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            logits.insert(logits.end(), {1e4, 0, 0, -1e4, 1e4, 1e4});
            mask.insert(mask.end(), {0, 1, 1, 1, 0, 0});
        }
        batch.set("logits", logits);
        batch.set("action_mask", mask);
        batch.set("action", std::vector<double>(batch.rows(), 3));
        const Columns out = assembly.forward("prepare", batch);
        const auto times = [&](double action) { return std::ranges::count(out.at("drawn"), action); };
        CHECK(times(1) + times(2) == 20000);
        CHECK(std::abs(static_cast<double>(times(1)) - 10000) < 4.5 * std::sqrt(5000));
        CHECK(out.at("log_prob")[0] == Catch::Approx(-1e4 - std::log(2)).epsilon(1e-6));
        CHECK(out.at("entropy")[0] == Catch::Approx(std::log(2)).epsilon(1e-6));
    }
}

TEST_CASE("where nothing is allowed everything stays a number") {
    Assembly assembly(plan());
    FilledBatch batch(assembly.columns(), {.rows = 10}, 1);
    batch.set("action_mask", std::vector<double>(10 * kClasses, 0));
    const Columns out = assembly.forward("prepare", batch);
    for (const char* name : {"drawn", "drawn.log_prob", "log_prob", "entropy"}) {
        CHECK(std::ranges::all_of(out.at(name), [](double x) { return std::isfinite(x); }));
    }
}

}  // namespace masks_test
