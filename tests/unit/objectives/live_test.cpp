// SPDX-License-Identifier: Apache-2.0
// Options that a schedule moves: the same program reads their present value, and is that of the value folded in.
#include <algorithm>

#include "compute/parameters/schedule.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace live_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan(double gamma, bool live) {
    return {
        .columns = {real_column("observation", {3}), categorical_column("action", 4),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue",
                      .component = "mlp/q_value",
                      .options = {{"hidden", std::vector<std::int64_t>{5}}}}},
        .objective = "dqn/dqn",
        .options = {{"gamma", gamma}},
        .live = live ? std::vector<std::string>{"gamma"} : std::vector<std::string>{}};
}

std::size_t count_options(const graph::Graph& graph) {
    return static_cast<std::size_t>(std::ranges::count_if(
        graph.nodes, [](const graph::Node& node) { return node.op != nullptr && node.op->name == "option"; }));
}

}  // namespace

TEST_CASE("a live option moves under a program that stays as it is") {
    Assembly moving(plan(0.5, true));
    moving.build();
    moving.load();
    CHECK(count_options(moving.update.graph) == 1);
    const FilledBatch batch(moving.columns(), {.rows = 8}, 41);
    const Network& q = moving.network("qvalue");
    double before = 0;
    for (const double gamma : {0.5, 0.9, 0.0, 1.0, 0.9}) {
        CAPTURE(gamma);
        moving.live("objective.gamma") = gamma;
        const Outcome outcome = moving.run(batch);
        CHECK(outcome.losses.at("q") != before);
        before = outcome.losses.at("q");

        Assembly folded(plan(gamma, false));
        folded.build();
        folded.load();
        CHECK(count_options(folded.update.graph) == 0);
        CHECK(folded.run(batch).losses.at("q") == before);
        const Network& other = folded.network("qvalue");
        CHECK(numbers(other, other.gradient) == numbers(q, q.gradient));
    }
}

TEST_CASE("a schedule moves an option of the graph from update to update") {
    Assembly moving(plan(0.5, true));
    moving.build();
    moving.load();
    const auto index = static_cast<std::uint32_t>(moving.live_values().find("objective.gamma"));
    const std::vector<Schedule> schedules = {
        {.index = index,
         .pieces = {{.kind = ScheduleKind::kLinear, .from = 1.0, .to = 0.2, .begin = 0, .end = 400}},
         .by_updates = false}};
    const FilledBatch batch(moving.columns(), {.rows = 8}, 41);
    // frames, and gamma after so many of them
    for (const auto& [frames, gamma] : {std::pair{0.0, 1.0}, {100.0, 0.8}, {200.0, 0.6}, {400.0, 0.2}, {1000.0, 0.2}}) {
        apply(schedules, frames, 0, moving.live_values().values);
        Assembly folded(plan(gamma, false));
        folded.build();
        folded.load();
        CHECK(moving.run(batch).losses.at("q") == Catch::Approx(folded.run(batch).losses.at("q")).epsilon(1e-14));
    }
}

TEST_CASE("gradients follow a live option") {
    Assembly assembly(plan(0.5, true));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = 8}, 41);
    for (const double gamma : {0.2, 0.8}) {
        assembly.live("objective.gamma") = gamma;
        CHECK(check_gradients(assembly, batch).worst <= 1e-6);
    }
}

}  // namespace live_test
