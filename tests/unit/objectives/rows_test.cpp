// SPDX-License-Identifier: Apache-2.0
// From losses per row to the numbers that are differentiated, as docs/reference/ops.md has it under rows: means over
// rows, masks, weights, members; and stages that are not due in every update.
#include <algorithm>
#include <cmath>
#include <limits>

#include "by_hand.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace rows_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kRows = 10;

struct Kind {
    bool masked;
    bool weighted;
};

Plan plan(const std::string& objective, Kind kind) {
    const Options body = {{"hidden", std::vector<std::int64_t>{4}}};
    Plan out{.columns = {real_column("observation", {2}), bounded_column("action", {-1, 0}, {1, 2}),
                         real_column("next.reward")},
             .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = body},
                          {.role = "qvalue", .component = "mlp/q", .options = body, .count = 3}},
             .objective = objective,
             .options = {}};
    if (kind.masked) {
        out.columns.push_back(flag_column("mask"));
    }
    if (kind.weighted) {
        out.columns.push_back(bounded_column("weight", {0}, {2}, DType::kF32));
        out.columns.back().spec.shape = {};
    }
    return out;
}

struct Sums {
    double each = 0;
    double smallest = 0;
};

Sums by_hand(const Network& q, const FilledBatch& batch, Kind kind) {
    Sums out;
    double counted = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        if (kind.masked && batch["mask"][i] == 0) {
            continue;
        }
        counted += 1;
        const double weight = kind.weighted ? batch["weight"][i] : 1;
        Vector seen = batch.row("observation", i);
        const Vector action = batch.row("action", i);
        seen.insert(seen.end(), action.begin(), action.end());
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t member = 0; member < 3; ++member) {
            const double value = mlp(q, q.live, seen, "tanh", member)[0];
            const double error = value - batch["next.reward"][i];
            out.each += weight * error * error;
            smallest = std::min(smallest, value);
        }
        out.smallest += weight * std::abs(smallest - batch["next.reward"][i]);
    }
    out.each /= std::max(counted, 1.0);
    out.smallest /= std::max(counted, 1.0);
    return out;
}

}  // namespace

TEST_CASE("losses are means over rows, summed over members; masks and weights of the batch enter them") {
    for (const Kind kind : {Kind{false, false}, Kind{true, false}, Kind{false, true}, Kind{true, true}}) {
        CAPTURE(kind.masked, kind.weighted);
        Assembly assembly(plan("test/Rows", kind));
        assembly.build();
        assembly.load();
        const FilledBatch batch(assembly.columns(), {.rows = kRows}, 31);
        if (kind.masked) {
            const auto counted = std::ranges::count(batch["mask"], 1.0);
            REQUIRE((counted > 1 && counted < 9));
        }
        const Sums expected = by_hand(assembly.network("qvalue"), batch, kind);
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("each") == Catch::Approx(expected.each).epsilon(1e-13));
        CHECK(outcome.losses.at("smallest") == Catch::Approx(expected.smallest).epsilon(1e-13));
        CHECK(outcome.losses.at("size") == 6);  // no row's loss: no mean, no mask
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.smallest_network > 0.01);
    }
}

TEST_CASE("a mask that counts no row makes losses and gradients zero") {
    Assembly assembly(plan("test/Rows", {true, false}));
    assembly.build();
    assembly.load();
    FilledBatch batch(assembly.columns(), {.rows = kRows}, 31);
    batch.set("mask", std::vector<double>(kRows));
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.at("each") == 0);
    CHECK(outcome.losses.at("smallest") == 0);
    const Network& q = assembly.network("qvalue");
    CHECK(std::ranges::all_of(numbers(q, q.gradient), [](double g) { return g == 0; }));
}

TEST_CASE("what stands in a masked row does not matter") {
    Assembly assembly(plan("test/Rows", {true, true}));
    assembly.build();
    assembly.load();
    FilledBatch batch(assembly.columns(), {.rows = kRows}, 31);
    const Outcome clean = assembly.run(batch);
    const Network& q = assembly.network("qvalue");
    const std::vector<double> gradient = numbers(q, q.gradient);
    std::vector<double> reward = batch["next.reward"];
    for (std::size_t i = 0; i < kRows; ++i) {
        reward[i] = batch["mask"][i] == 0 ? 1e6 : reward[i];
    }
    batch.set("next.reward", reward);
    CHECK(assembly.run(batch).losses == clean.losses);
    CHECK(numbers(q, q.gradient) == gradient);
}

TEST_CASE("masking rows out is leaving them out") {
    Assembly masked(plan("test/Rows", {true, false}));
    masked.build();
    masked.load();
    const FilledBatch all(masked.columns(), {.rows = kRows}, 31);
    Assembly fewer(plan("test/Rows", {false, false}));
    fewer.build();
    fewer.load();
    const auto counted = std::ranges::count(all["mask"], 1.0);
    FilledBatch some(fewer.columns(), {.rows = counted}, 31);
    for (const graph::Column& column : fewer.columns()) {
        std::vector<double> values;
        for (std::size_t i = 0; i < all.rows(); ++i) {
            const std::vector<double> row = all.row(column.spec.key, i);
            if (all["mask"][i] == 1) {
                values.insert(values.end(), row.begin(), row.end());
            }
        }
        some.set(column.spec.key, values);
    }
    const Outcome of_masked = masked.run(all);
    const Outcome of_some = fewer.run(some);
    CHECK(of_masked.losses.at("each") == Catch::Approx(of_some.losses.at("each")).epsilon(1e-13));
    const std::vector<double> a = numbers(masked.network("qvalue"), masked.network("qvalue").gradient);
    const std::vector<double> b = numbers(fewer.network("qvalue"), fewer.network("qvalue").gradient);
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i] == Catch::Approx(b[i]).margin(1e-13));
    }
}

TEST_CASE("a stage of every third update is due in updates 0, 3, 6 and rests in between") {
    Plan with_lr = plan("test/EveryThird", {false, false});
    with_lr.networks[1].count = 1;
    with_lr.lr = 0.01;
    Assembly assembly(with_lr);
    assembly.build();
    REQUIRE(assembly.stages[1].every == 3);
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = kRows}, 37);
    const Network& actor = assembly.network("actor");
    const Network& q = assembly.network("qvalue");
    for (int update = 0; update < 7; ++update) {
        const std::vector<double> actor_before = numbers(actor, actor.live);
        const std::vector<double> q_before = numbers(q, q.live);
        const Outcome outcome = assembly.run(batch, {.updates = static_cast<double>(update)});
        const bool due = update % 3 == 0;
        CHECK((numbers(actor, actor.live) != actor_before) == due);
        CHECK(numbers(q, q.live) != q_before);
        CHECK(std::isnan(outcome.losses.at("actor.climb")) == !due);
        CHECK(std::isfinite(outcome.losses.at("critic.q")));
        CHECK(outcome.metrics.at("updates") == update);
    }
    CHECK(actor.steps == 3);
    CHECK(q.steps == 7);
}

}  // namespace rows_test
