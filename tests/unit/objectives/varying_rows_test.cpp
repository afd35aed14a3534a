// SPDX-License-Identifier: Apache-2.0
// Every objective, compiled once for many numbers of rows: the numbers of one that is compiled for each of them.
#include "engines/compiled/varying_sizes.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "plans.hpp"
#include "support/catch.hpp"

namespace varying_rows_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::array<Plan (*)(DType), 15> kPlans = {
    a2c_plan,    bc_plan,  c51_plan, ddpg_plan,      discrete_cql_plan, discrete_sac_plan, dqn_plan, iql_plan,
    ppo_kl_plan, ppo_plan, qr_plan,  reinforce_plan, sac_plan,          td3_bc_plan,       td3_plan};

Plan compiled_plan(Plan plan) {
    plan.compiled = true;
    return plan;
}

// What an update gives; it moves nothing.
struct Given {
    std::map<std::string, double> losses;
    std::map<std::string, double> metrics;
    std::vector<double> norms;
    Columns columns;
    std::vector<float> gradients;
    bool operator==(const Given&) const = default;
};

Given run(Assembly& assembly, const Sizes& sizes) {
    const Outcome outcome = assembly.run(FilledBatch(assembly.columns(), sizes, 5));
    Given out{outcome.losses, outcome.metrics, outcome.norms, outcome.columns, {}};
    for (const Network& network : assembly.learner.networks) {
        const std::size_t count = network.layout.trainable_size;
        out.gradients.insert(out.gradients.end(), network.gradient.as<float>(), network.gradient.as<float>() + count);
    }
    return out;
}

void check_sizes(const Plan& plan, const std::vector<Sizes>& all) {
    CAPTURE(plan.objective);
    Assembly lasting(plan);
    lasting.build();
    lasting.load();
    for (const Sizes& sizes : all) {
        CAPTURE(sizes.rows, sizes.time, sizes.lanes);
        Assembly exact(plan);
        exact.build();
        exact.load();
        const Given want = run(exact, sizes);
        CHECK_FALSE(want.losses.empty());
        CHECK((run(lasting, sizes) == want));
    }
}

// Whether one program serves the sizes around these, `other` being some that there have been before.
void check_serves(const Plan& plan, const Sizes& sizes, const Sizes& other) {
    CAPTURE(plan.objective);
    Assembly assembly(plan);
    assembly.build();
    const ProgramSpec spec = assembly.update.spec(3);
    const auto phases = make_plan(spec, assembly.stages, assembly.learner, {.due = due_stages(assembly.stages, 0)});
    REQUIRE(phases.has_value());
    const compiled::Request request{
        .spec = spec, .stages = assembly.stages, .learner = assembly.learner, .plan = *phases, .sizes = sizes};
    const auto made = compiled::specialise_for(request, compiled::span_around(sizes, other));
    INFO((made ? std::string() : made.error().sentence));
    CHECK(made.has_value());
}

Plan recurrent_plan(const std::string& cell) {
    Plan plan{
        .columns = {real_column("x", {3}, DType::kF32), flag_column("is_init"), real_column("weight", {5}, DType::kF32),
                    real_column("net." + cell + "_hidden", {5}, DType::kF32)},
        .networks = {{.role = "net", .component = "test/Cells", .options = {}}},
        .objective = cell == "lstm" ? "test/WeighsLstm" : "test/WeighsGru",
        .options = {},
        .real = DType::kF32,
        .compiled = true,
        .leading = {graph::kTime, graph::kLanes}};
    if (cell == "lstm") {
        plan.columns.push_back(real_column("net.lstm_cell", {5}, DType::kF32));
    }
    return plan;
}

Plan kernel_plan(const std::string& objective) {
    return {.columns = {real_column("observation", {3}, DType::kF32), real_column("reward", {}, DType::kF32)},
            .networks = {{.role = "net",
                          .component = "mlp/value",
                          .options = {{"hidden", std::vector<std::int64_t>{4}}},
                          .count = 3}},
            .objective = objective,
            .options = {},
            .real = DType::kF32,
            .compiled = true};
}

}  // namespace

TEST_CASE("an objective's update for many sizes has the bits of one for each size") {
    for (const auto& plan : kPlans) {
        check_sizes(compiled_plan(plan(DType::kF32)), {{.rows = 40},
                                                       {.rows = 41},
                                                       {.rows = 42},
                                                       {.rows = 43},
                                                       {.rows = 63},
                                                       {.rows = 32},
                                                       {.rows = 100},
                                                       {.rows = 127},
                                                       {.rows = 64}});
        check_serves(compiled_plan(plan(DType::kF32)), {.rows = 100}, {.rows = 99});
    }
}

TEST_CASE("an update with an author's kernel serves many sizes") {
    for (const char* objective : {"test/Body", "test/Secret"}) {
        check_sizes(kernel_plan(objective), {{.rows = 40}, {.rows = 41}, {.rows = 42}, {.rows = 43}, {.rows = 63}});
        check_serves(kernel_plan(objective), {.rows = 100}, {.rows = 99});
    }
}

TEST_CASE("an update that scans over time serves many numbers of lanes, and of steps") {
    for (const char* cell : {"gru", "lstm"}) {
        std::vector<Sizes> lanes;
        std::vector<Sizes> steps;
        for (const std::int64_t size : {20, 21, 22, 23, 30, 16, 31}) {
            lanes.push_back({.time = 6, .lanes = size});
            steps.push_back({.time = size, .lanes = 6});
        }
        check_sizes(recurrent_plan(cell), lanes);
        check_sizes(recurrent_plan(cell), steps);
        check_serves(recurrent_plan(cell), lanes[0], lanes[1]);
        check_serves(recurrent_plan(cell), steps[0], steps[1]);
    }
}

}  // namespace varying_rows_test
