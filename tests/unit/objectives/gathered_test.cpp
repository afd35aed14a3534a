// SPDX-License-Identifier: Apache-2.0
// Gradients of several minibatches that make one step, and updates that are skipped.
#include <algorithm>
#include <cmath>

#include "gradients.hpp"
#include "support/catch.hpp"

namespace gathered_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kRows = 6;  // of a minibatch

Plan plan(const std::string& objective, double lr) {
    const Options body = {{"hidden", std::vector<std::int64_t>{5}}};
    return {.columns = {real_column("observation", {3}), bounded_column("action", {-1, -1}, {1, 2}),
                        real_column("next.reward")},
            .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = body},
                         {.role = "qvalue", .component = "mlp/q", .options = body}},
            .objective = objective,
            .options = {},
            .lr = lr};
}

struct Run {
    Assembly assembly;

    Run(const std::string& objective, double lr) : assembly(plan(objective, lr)) {
        assembly.build();
        assembly.load();
    }

    // Rewards of the sign that SkipsGood obeys or not.
    [[nodiscard]] FilledBatch batch(std::uint64_t seed, bool good) const {
        FilledBatch out(assembly.columns(), {.rows = kRows}, seed);
        std::vector<double> reward = out["next.reward"];
        std::ranges::transform(reward, reward.begin(), [&](double r) { return good ? std::abs(r) : -std::abs(r); });
        out.set("next.reward", reward);
        return out;
    }

    std::vector<double> gradient() { return numbers(network("qvalue"), network("qvalue").gradient); }
    std::vector<double> live() { return numbers(network("qvalue"), network("qvalue").live); }
    double count() { return *network("objective").live.as<double>(); }  // a state, its only number
    Network& network(std::string_view role) { return assembly.network(role); }
};

// The rows of all of them.
FilledBatch joined(const Run& run, const std::vector<FilledBatch>& parts) {
    FilledBatch out(run.assembly.columns(), {.rows = static_cast<std::int64_t>(kRows * parts.size())}, 0);
    for (const graph::Column& column : run.assembly.columns()) {
        std::vector<double> values;
        for (const FilledBatch& part : parts) {
            const auto& more = part[column.spec.key];
            values.insert(values.end(), more.begin(), more.end());
        }
        out.set(column.spec.key, values);
    }
    return out;
}

void check_close(const std::vector<double>& have, const std::vector<double>& wanted) {
    REQUIRE(have.size() == wanted.size());
    for (std::size_t i = 0; i < have.size(); ++i) {
        CHECK(have[i] == Catch::Approx(wanted[i]).epsilon(1e-10).margin(1e-13));
    }
}

}  // namespace

TEST_CASE("gathered minibatches of one size step as one batch of all their rows") {
    Run parts("test/ReadsStart", 0.01);
    Run whole("test/ReadsStart", 0.01);
    const std::vector<double> before = parts.live();
    for (std::uint64_t update = 0; update < 3; ++update) {
        std::vector<FilledBatch> batches;
        for (std::uint64_t k = 0; k < 3; ++k) {
            batches.push_back(parts.batch(10 * update + k, k == 1));
            const double moment = static_cast<double>(update);
            const std::vector<double> old = parts.live();
            const Outcome outcome =
                parts.assembly.run(batches.back(), {.updates = moment, .first = k == 0, .last = k == 2});
            CHECK((parts.live() == old) == (k != 2));
            CHECK(std::isnan(outcome.norms[0]) == (k != 2));
            CHECK(std::isfinite(outcome.losses.at("critic.q")));
        }
        whole.assembly.run(joined(whole, batches), {.updates = static_cast<double>(update)});
        check_close(parts.gradient(), whole.gradient());
        check_close(parts.live(), whole.live());
        CHECK(parts.network("qvalue").steps == static_cast<std::int64_t>(update) + 1);
    }
    CHECK(parts.live() != before);
}

TEST_CASE("a skipped update changes nothing") {
    Run run("test/SkipsGood", 0.01);
    const std::vector<double> before = run.live();
    const Outcome skipped = run.assembly.run(run.batch(1, true));
    CHECK(run.live() == before);
    CHECK(run.count() == 0);
    CHECK(run.network("qvalue").steps == 0);
    CHECK(std::isnan(skipped.losses.at("critic.q")));
    CHECK(std::isnan(skipped.norms[0]));
    const Outcome made = run.assembly.run(run.batch(1, false));
    CHECK(run.live() != before);
    CHECK(run.count() == 1);
    CHECK(std::isfinite(made.norms[0]));
}

TEST_CASE("a skipped minibatch adds nothing to those it is gathered with") {
    Run mixed("test/SkipsGood", 0.01);
    Run alone("test/SkipsGood", 0.01);
    mixed.assembly.run(mixed.batch(1, true), {.first = true, .last = false});
    mixed.assembly.run(mixed.batch(2, false), {.first = false, .last = false});
    mixed.assembly.run(mixed.batch(3, true), {.first = false, .last = true});
    alone.assembly.run(alone.batch(2, false));
    CHECK(mixed.gradient() == alone.gradient());
    CHECK(mixed.live() == alone.live());
    const std::vector<double> before = mixed.live();
    mixed.assembly.run(mixed.batch(4, true), {.first = true, .last = false});
    mixed.assembly.run(mixed.batch(5, true), {.first = false, .last = true});
    CHECK(mixed.live() == before);
}

}  // namespace gathered_test
