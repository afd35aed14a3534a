// SPDX-License-Identifier: Apache-2.0
// The natural gradient step of trpo/trpo against one that sb3-contrib's conjugate gradients take
// (tests/golden/trpo.txt): at full length, shortened, and refused because it goes too far.
#include <algorithm>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace trpo_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr double kTolerance = 1e-9;

Plan plan_of(const GoldenCase& golden, bool compiled) {
    return {.columns = {real_column("observation", {3}), categorical_column("action", 4), real_column("advantage"),
                        real_column("log_prob"), real_column("action_logits", {4}), real_column("value_target")},
            .networks = {{.role = "actor",
                          .component = "mlp/categorical",
                          .options = {{"hidden", std::vector<std::int64_t>{5}}}},
                         {.role = "value", .component = "mlp/value", .options = {}}},
            .objective = "trpo/trpo",
            .options = {{"target_kl", golden.number("target_kl")},
                        {"damping", golden.number("damping")},
                        {"shrinking", golden.number("shrinking")},
                        {"conjugate_steps", static_cast<std::int64_t>(golden.number("solving"))},
                        {"search_steps", static_cast<std::int64_t>(golden.number("search"))}},
            .compiled = compiled};
}

}  // namespace

TEST_CASE("TRPO's step is that of sb3-contrib's conjugate gradients and torch's double backward") {
    for (const GoldenCase& golden : read_golden("trpo.txt")) {
        for (const bool compiled : {false, true}) {
            CAPTURE(golden.name, compiled);
            Assembly assembly(plan_of(golden, compiled));
            FilledBatch batch(assembly.columns(), {.rows = 0, .time = 5, .lanes = 3}, 1);
            for (const char* key : {"observation", "action", "advantage", "log_prob", "action_logits"}) {
                batch.set(key, golden[key]);
            }
            assembly.build_forward("conclude", {graph::kTime, graph::kLanes});
            Network& actor = assembly.network("actor");
            for (const Parameter& parameter : actor.layout.parameters) {
                std::ranges::copy(golden[parameter.name], actor.live.as<double>() + parameter.offset);
            }
            assembly.forward("conclude", batch);
            for (const auto& [name, value] : assembly.forward_metrics) {
                CAPTURE(name);
                CHECK(value == Catch::Approx(golden.number(name)).epsilon(kTolerance).margin(1e-12));
            }
            CHECK(assembly.forward_metrics.size() == 3);
            for (const Parameter& parameter : actor.layout.parameters) {
                CAPTURE(parameter.name);
                const double* first = actor.live.as<double>() + parameter.offset;
                const std::vector<double>& expected = golden["after." + parameter.name];
                CHECK(worst_difference({first, first + expected.size()}, expected) <= kTolerance);
            }
        }
    }
}

}  // namespace trpo_test
