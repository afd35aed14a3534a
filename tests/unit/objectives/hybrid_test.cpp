// SPDX-License-Identifier: Apache-2.0
// A head of choices and real numbers is what its parts are together.
#include <algorithm>
#include <cmath>

#include "assembly.hpp"
#include "support/catch.hpp"

namespace hybrid_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kRows = 500;

std::vector<graph::Column> columns() {
    std::vector<graph::Column> out = {bounded_column("action", {0, 5, -1, 2}, {2, 6, 1, 7}),
                                      multi_categorical_column("chosen", {3, 2})};
    for (const std::string prefix : {"", "other."}) {
        out.push_back(real_column(prefix + "logits", {5}));
        out.push_back(real_column(prefix + "loc", {2}));
        out.push_back(real_column(prefix + "scale", {2}));
    }
    return out;
}

Columns compute(const std::string& author, DType real) {
    Assembly assembly(
        {.columns = columns(), .networks = {}, .objective = "test/" + author, .options = {}, .real = real});
    FilledBatch batch(assembly.columns(), {.rows = kRows}, 71);
    for (const char* key : {"scale", "other.scale"}) {
        std::vector<double> scale = batch[key];
        std::ranges::for_each(scale, [](double& x) { x = 0.2 + 1.3 / (1 + x * x); });
        batch.set(key, scale);
    }
    std::vector<double> action = batch["action"];
    for (std::size_t i = 0; i < kRows; ++i) {
        action[4 * i] = batch["chosen"][2 * i];
        action[4 * i + 1] = 5 + batch["chosen"][2 * i + 1];
    }
    batch.set("action", action);
    const FilledBatch noise({real_column("noise", {2})}, {.rows = kRows}, 72);
    assembly.draws["test/" + author + ".prepare/entropy"] = noise["noise"];
    return assembly.forward("prepare", batch);
}

}  // namespace

TEST_CASE("log-probabilities, entropies and divergences of a hybrid are the sums of its parts'") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        const Columns whole = compute("HybridHead", real);
        const Columns parts = compute("HybridParts", real);
        const double tolerance = real == DType::kF64 ? 1e-13 : 1e-5;
        for (const std::string quantity : {"log_prob", "entropy", "kl"}) {
            for (std::size_t i = 0; i < kRows; ++i) {
                CAPTURE(quantity, i, real == DType::kF32);
                const double expected = parts.at("choices." + quantity)[i] + parts.at("reals." + quantity)[i];
                CHECK(std::abs(whole.at(quantity)[i] - expected) <= tolerance * (1 + std::abs(expected)));
                CHECK(parts.at("choices." + quantity)[i] != 0);
            }
        }
        CHECK(std::ranges::all_of(whole.at("kl.itself"), [](double x) { return std::abs(x) < 1e-6; }));
        CHECK(whole.at("kl.unpacked") == whole.at("kl"));
        for (std::size_t i = 0; i < kRows; ++i) {
            CHECK(whole.at("mode")[4 * i] == parts.at("choices.mode")[2 * i]);
            CHECK(whole.at("mode")[4 * i + 1] == 5 + parts.at("choices.mode")[2 * i + 1]);
            CHECK(whole.at("mode")[4 * i + 2] == parts.at("reals.mode")[2 * i]);
            CHECK(whole.at("mode")[4 * i + 3] == parts.at("reals.mode")[2 * i + 1]);
        }
    }
}

TEST_CASE("draws of a hybrid are within its bounds, whole where they are choices, and have their log-probability") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        const Columns out = compute("HybridHead", real);
        std::vector<int> times(6);
        for (std::size_t i = 0; i < kRows; ++i) {
            const std::vector<double> action(out.at("drawn").begin() + static_cast<std::ptrdiff_t>(4 * i),
                                             out.at("drawn").begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
            const bool is_choice =
                (action[0] == 0 || action[0] == 1 || action[0] == 2) && (action[1] == 5 || action[1] == 6);
            REQUIRE(is_choice);
            ++times[static_cast<std::size_t>(2 * action[0] + action[1] - 5)];
            CHECK((action[2] >= -1 && action[2] <= 1 && action[3] >= 2 && action[3] <= 7));
            const bool inside = std::abs(action[2]) < 0.98 && action[3] > 2.05 && action[3] < 6.95;
            if (inside) {
                const double expected = out.at("drawn.log_prob")[i];
                const double tolerance = real == DType::kF64 ? 1e-9 : 1e-3;
                CHECK(std::abs(out.at("drawn.again")[i] - expected) <= tolerance * (1 + std::abs(expected)));
            }
        }
        CHECK(std::ranges::all_of(times, [](int n) { return n > 20; }));
    }
}

}  // namespace hybrid_test
