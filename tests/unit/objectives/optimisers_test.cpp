// SPDX-License-Identifier: Apache-2.0
// Two stages with optimisers of their own: another algorithm, another rate, another limit to the gradient.
#include <cmath>
#include <variant>

#include "compute/parameters/schedule.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace optimisers_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan(std::vector<OptimiserStage> optimisers) {
    const Options body = {{"hidden", std::vector<std::int64_t>{5}}};
    return {.columns = {real_column("observation", {3}), bounded_column("action", {-1, -1}, {1, 2}),
                        real_column("next.reward")},
            .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = body},
                         {.role = "qvalue", .component = "mlp/q", .options = body}},
            .objective = "test/ReadsStart",
            .options = {},
            .lr = 0.01,
            .clip_norm = 0.2,
            .optimisers = std::move(optimisers)};
}

OptimiserStage critic_by_descent() {
    OptimiserStage out{.name = "critic", .table = {}};
    out.table.kind = "sgd";
    out.table.lr = 0.5;
    out.table.momentum = 0.9;
    out.table.clip_norm = 0.05;
    return out;
}

double norm_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

std::vector<double> live_of(Assembly& assembly, std::string_view role) {
    return numbers(assembly.network(role), assembly.network(role).live);
}

std::vector<double> gradient_of(Assembly& assembly, std::string_view role) {
    return numbers(assembly.network(role), assembly.network(role).gradient);
}

}  // namespace

TEST_CASE("each stage steps by its own rule, its own rate and its own limit") {
    Assembly assembly(plan({critic_by_descent()}));
    assembly.build();
    assembly.load();
    CHECK(std::holds_alternative<SgdPlan>(assembly.stages[0].optimiser.rule));
    CHECK(std::holds_alternative<AdamPlan>(assembly.stages[1].optimiser.rule));
    CHECK(assembly.network("qvalue").optimiser_state.size() == 1);
    CHECK(assembly.network("actor").optimiser_state.size() == 2);
    std::vector<double> momentum;
    for (std::uint64_t update = 0; update < 3; ++update) {
        const std::vector<double> critic = live_of(assembly, "qvalue");
        const std::vector<double> actor = live_of(assembly, "actor");
        const Outcome outcome = assembly.run(FilledBatch(assembly.columns(), {.rows = 9}, 70 + update));
        const std::vector<double> gradient = gradient_of(assembly, "qvalue");
        REQUIRE(outcome.norms[0] > 0.05);
        CHECK(norm_of(gradient) == Catch::Approx(0.05).epsilon(1e-4));
        CHECK(norm_of(gradient_of(assembly, "actor")) == Catch::Approx(std::min(outcome.norms[1], 0.2)).epsilon(1e-4));
        momentum.resize(gradient.size());
        const std::vector<double> after = live_of(assembly, "qvalue");
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            momentum[i] = update == 0 ? gradient[i] : 0.9 * momentum[i] + gradient[i];
            CHECK(after[i] == Catch::Approx(critic[i] - 0.5 * momentum[i]).margin(1e-14));
        }
        const std::vector<double> moved = live_of(assembly, "actor");
        const std::vector<double> slope = gradient_of(assembly, "actor");
        for (std::size_t i = 0; update == 0 && i < moved.size(); ++i) {  // Adam begins with the sign of the gradient
            const double sign = slope[i] == 0 ? 0 : slope[i] > 0 ? 1 : -1;
            CHECK(moved[i] == Catch::Approx(actor[i] - 0.01 * sign).margin(1e-4));
        }
    }
}

TEST_CASE("the stages of one table move by the same numbers") {
    Assembly together(plan({}));
    together.build();
    together.load();
    CHECK(together.stages[0].optimiser.rule == together.stages[1].optimiser.rule);
    together.live("optimiser.lr") = 0;
    const std::vector<double> critic = live_of(together, "qvalue");
    const std::vector<double> actor = live_of(together, "actor");
    together.run(FilledBatch(together.columns(), {.rows = 9}, 70));
    CHECK(live_of(together, "qvalue") == critic);
    CHECK(live_of(together, "actor") == actor);
}

}  // namespace optimisers_test
