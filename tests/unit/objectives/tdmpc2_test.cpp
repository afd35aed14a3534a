// SPDX-License-Identifier: Apache-2.0
// TD-MPC2 against plain loops in torch (tests/golden/tdmpc2.txt): its losses and gradients over sequences, with the
// same random numbers and the same pairs of critics.
#include <string>

#include "assembly.hpp"
#include "golden.hpp"
#include "golden_losses.hpp"
#include "support/catch.hpp"

namespace tdmpc2_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan_of(bool compiled) {
    const std::int64_t hidden = 5;
    const std::int64_t bins = 7;
    return {.columns = {real_column("observation", {3}), real_column("next.observation", {3}),
                        bounded_column("action", {-2, -0.5}, {1, 3}), real_column("next.reward"),
                        flag_column("next.terminated")},
            .networks = {{.role = "world",
                          .component = "tdmpc/world",
                          .options = {{"latent", std::int64_t{6}},
                                      {"simplex", std::int64_t{3}},
                                      {"hidden", hidden},
                                      {"bins", bins}}},
                         {.role = "actor", .component = "tdmpc/actor", .options = {{"hidden", hidden}}},
                         {.role = "qvalue",
                          .component = "tdmpc/q",
                          .options = {{"hidden", hidden}, {"bins", bins}, {"dropout", 0.0}},
                          .count = 3}},
            .objective = "tdmpc2/tdmpc2",
            .options = {{"gamma", 0.9},
                        {"rho", 0.6},
                        {"consistency_coefficient", 2.0},
                        {"reward_coefficient", 0.3},
                        {"value_coefficient", 0.7},
                        {"entropy_coefficient", 0.05},
                        {"scale_rate", 0.5}},
            .compiled = compiled,
            .leading = {graph::kTime, graph::kLanes}};
}

}  // namespace

TEST_CASE("TD-MPC2's losses and gradients are those of plain loops in torch") {
    const Sizes sizes{.rows = 0, .time = 3, .lanes = 4};
    for (const bool compiled : {false, true}) {
        check_losses(golden_case("tdmpc2.txt", "tdmpc2"), plan_of(compiled), sizes, 4, 1e-11);
    }
}

}  // namespace tdmpc2_test
