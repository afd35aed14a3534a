// SPDX-License-Identifier: Apache-2.0
// Objectives that put values in order, against plain loops and central differences.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace ordered_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kActions = 3;
constexpr std::size_t kQuantiles = 5;
constexpr std::size_t kDropped = 2;  // of each critic
constexpr std::size_t kRows = 11;
constexpr std::size_t kSize = 6;

Plan truncated(std::int64_t critics, bool compiled) {
    return {
        .columns = {real_column("observation", {3}), categorical_column("action", kActions),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue",
                      .component = "mlp/qr",
                      .options = {{"hidden", std::vector<std::int64_t>{6}}, {"quantiles", std::int64_t{kQuantiles}}},
                      .count = critics}},
        .objective = "test/Truncated",
        .options = {{"gamma", 0.9}},
        .compiled = compiled};
}

Vector part(const Vector& all, std::size_t action) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(action * kQuantiles);
    return {first, first + kQuantiles};
}

double sum(const Vector& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// Quantile regression with Huber's loss, its corner at 1.
double distance(const Vector& quantiles, const Vector& samples) {
    double out = 0;
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
        const double tau = (2 * static_cast<double>(i) + 1) / (2 * kQuantiles);
        for (const double sample : samples) {
            const double error = sample - quantiles[i];
            out += std::abs(tau - (error < 0 ? 1 : 0)) * test::smooth_l1(error) / static_cast<double>(samples.size());
        }
    }
    return out;
}

// What the loss of the row's critics is, and the mean of what was kept.
std::pair<double, double> by_loop(const Network& q, std::size_t critics, const FilledBatch& batch, std::size_t row) {
    std::vector<Vector> next_values;  // of each critic, all actions
    std::vector<double> values(kActions);
    for (std::size_t m = 0; m < critics; ++m) {
        next_values.push_back(mlp(q, q.target, batch.row("next.observation", row), "tanh", m));
        for (std::size_t a = 0; a < kActions; ++a) {
            values[a] += sum(part(next_values.back(), a));
        }
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
    Vector pooled;
    for (const Vector& all : next_values) {
        const Vector its = part(all, best);
        pooled.insert(pooled.end(), its.begin(), its.end());
    }
    std::ranges::sort(pooled);
    pooled.resize(pooled.size() - kDropped * critics);
    const double kept = sum(pooled) / static_cast<double>(pooled.size());
    for (double& sample : pooled) {
        sample = batch["next.reward"][row] + 0.9 * (1 - batch["next.terminated"][row]) * sample;
    }
    double loss = 0;
    for (std::size_t m = 0; m < critics; ++m) {
        const Vector now = mlp(q, q.live, batch.row("observation", row), "tanh", m);
        loss += distance(part(now, static_cast<std::size_t>(batch["action"][row])), pooled);
    }
    return {loss, kept};
}

void check_truncated(std::int64_t critics, bool compiled) {
    CAPTURE(critics, compiled);
    Assembly assembly(truncated(critics, compiled));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = kRows}, 5);
    double expected = 0;
    double kept = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
        const auto [loss, mean] = by_loop(assembly.network("qvalue"), static_cast<std::size_t>(critics), batch, i);
        expected += loss / kRows;
        kept += mean / kRows;
    }
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("q") == Catch::Approx(expected).epsilon(1e-12));
    CHECK(outcome.metrics.at("kept") == Catch::Approx(kept).epsilon(1e-12));
    const GradientCheck gradients = check_gradients(assembly, batch);
    CHECK(gradients.worst <= 1e-6);
    CHECK(gradients.largest > 0.01);
}

Vector row_of(const Columns& columns, const char* name, std::size_t row) {
    const std::vector<double>& all = columns.at(name);
    const std::size_t width = all.size() / kRows;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
}

Vector indices_of(const Vector& x, bool descending) {
    Vector order(x.size());
    std::iota(order.begin(), order.end(), 0.0);
    std::ranges::stable_sort(order, [&](double i, double j) {
        const double a = x[static_cast<std::size_t>(i)];
        const double b = x[static_cast<std::size_t>(j)];
        return descending ? a > b : a < b;
    });
    return order;
}

Vector taken(const Vector& x, const Vector& indices) {
    Vector out;
    for (const double i : indices) {
        out.push_back(x[static_cast<std::size_t>(i)]);
    }
    return out;
}

void check_order(bool compiled) {
    CAPTURE(compiled);
    Assembly assembly(
        {.columns = {real_column("observation", {3}), real_column("weight", {kSize})},
         .networks = {{.role = "net",
                       .component = "mlp/features",
                       .options = {{"hidden", std::vector<std::int64_t>{5}}, {"size", std::int64_t{kSize}}}}},
         .objective = "test/WeighsOrder",
         .options = {},
         .compiled = compiled});
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = kRows}, 9);
    const Columns columns = assembly.run(batch).columns;
    for (std::size_t i = 0; i < kRows; ++i) {
        CAPTURE(i);
        const Vector x = row_of(columns, "x", i);
        const Vector up = indices_of(x, false);
        Vector most = indices_of(x, true);
        CHECK(row_of(columns, "up", i) == taken(x, up));
        CHECK(row_of(columns, "up.indices", i) == up);
        CHECK(row_of(columns, "down", i) == taken(x, most));
        most.resize(3);
        CHECK(row_of(columns, "most", i) == taken(x, most));
        CHECK(row_of(columns, "most.indices", i) == most);
        CHECK(row_of(columns, "weights", i) == taken(batch.row("weight", i), most));
        const Vector left = taken({x[0], x[2], x[4]}, indices_of({x[0], x[2], x[4]}, false));
        const Vector right = taken({x[1], x[3], x[5]}, indices_of({x[1], x[3], x[5]}, false));
        CHECK(row_of(columns, "columns", i) == Vector{left[0], right[0], left[1], right[1], left[2], right[2]});
    }
    const GradientCheck gradients = check_gradients(assembly, batch);
    CHECK(gradients.worst <= 1e-6);
    CHECK(gradients.largest > 0.01);
}

void check_constants(bool compiled) {
    CAPTURE(compiled);
    Assembly assembly(
        {.columns = {real_column("observation", {3}), real_column("weight", {kSize})},
         .networks = {{.role = "net",
                       .component = "mlp/features",
                       .options = {{"hidden", std::vector<std::int64_t>{5}}, {"size", std::int64_t{kSize}}}}},
         .objective = "test/Constants",
         .options = {},
         .compiled = compiled});
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = kRows}, 9);
    const Columns columns = assembly.run(batch).columns;
    for (std::size_t i = 0; i < kRows; ++i) {
        Vector half = batch.row("weight", i);
        std::ranges::for_each(half, [](double& x) { x *= 0.5; });
        CHECK(row_of(columns, "filled", i) == half);
        CHECK(row_of(columns, "of_rows", i) == Vector(6, -2.0));
    }
}

}  // namespace

TEST_CASE("truncated quantile critics lose what plain loops say, whatever their number") {
    for (const std::int64_t critics : {1, 3}) {
        for (const bool compiled : {false, true}) {
            check_truncated(critics, compiled);
        }
    }
}

TEST_CASE("sort and top_k give values, where they stood, and gradients to there") {
    check_order(false);
    check_order(true);
}

TEST_CASE("full has one value in all elements, alone and for each row") {
    check_constants(false);
    check_constants(true);
}

}  // namespace ordered_test
