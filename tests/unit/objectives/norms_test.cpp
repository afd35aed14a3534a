// SPDX-License-Identifier: Apache-2.0
// Normalisations of values of two sizes, against plain loops.
#include <cmath>

#include "assembly.hpp"
#include "support/catch.hpp"

namespace norms_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kRows = 7;
constexpr std::size_t kLines = 2;
constexpr std::size_t kColumns = 3;
constexpr double kEps = 1e-5;

std::size_t place(std::size_t row, std::size_t line, std::size_t column) {
    return (row * kLines + line) * kColumns + column;
}

struct Moments {
    double mean = 0;
    double variance = 0;

    explicit Moments(const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        for (const double x : values) {
            mean += x / n;
        }
        for (const double x : values) {
            variance += (x - mean) * (x - mean) / n;
        }
    }
    [[nodiscard]] double normalised(double x) const { return (x - mean) / std::sqrt(variance + kEps); }
};

double state(const Network& network, const char* name, std::size_t element) {
    const Parameter* parameter = network.layout.find(name);
    REQUIRE(parameter != nullptr);
    REQUIRE(parameter->size == kColumns);
    return network.live.as<double>()[parameter->offset + element];
}

}  // namespace

TEST_CASE("normalisations go along the last of several sizes") {
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        Assembly assembly({.columns = {real_column("x", {kLines * kColumns})},
                           .networks = {},
                           .objective = "test/NormsOfMatrices",
                           .options = {},
                           .compiled = compiled});
        assembly.build();
        assembly.load();
        const FilledBatch batch(assembly.columns(), {.rows = kRows}, 3);
        const std::vector<double>& x = batch["x"];
        const Columns columns = assembly.run(batch).columns;
        for (std::size_t row = 0; row < kRows; ++row) {
            for (std::size_t line = 0; line < kLines; ++line) {
                const std::size_t first = place(row, line, 0);
                const Moments own({x[first], x[first + 1], x[first + 2]});
                for (std::size_t column = 0; column < kColumns; ++column) {
                    const std::size_t at = place(row, line, column);
                    CHECK(columns.at("layer")[at] == Catch::Approx(own.normalised(x[at])).epsilon(1e-10));
                }
            }
        }
        for (std::size_t column = 0; column < kColumns; ++column) {
            std::vector<double> all;
            for (std::size_t i = 0; i < kRows * kLines; ++i) {
                all.push_back(x[i * kColumns + column]);
            }
            const Moments moments(all);
            for (std::size_t i = 0; i < all.size(); ++i) {
                CHECK(columns.at("renorm")[i * kColumns + column] ==
                      Catch::Approx(moments.normalised(all[i])).epsilon(1e-10));
            }
            const double n = kRows * kLines;
            const Network& network = assembly.network("objective");
            CHECK(state(network, "renorm.running_mean", column) == Catch::Approx(0.01 * moments.mean).epsilon(1e-10));
            CHECK(state(network, "renorm.running_var", column) ==
                  Catch::Approx(1 + 0.01 * (moments.variance * n / (n - 1) - 1)).epsilon(1e-10));
        }
    }
}

}  // namespace norms_test
