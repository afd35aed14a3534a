// SPDX-License-Identifier: Apache-2.0
// Planners against TorchRL's from the same states and draws.
#include "peer_rig.hpp"
#include "support/catch.hpp"

namespace planners_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::vector<double> planned(Plan plan, const PeerCase& golden) {
    Assembly assembly(std::move(plan));
    assembly.build();
    feed(assembly, golden);
    assembly.load();
    return assembly.run(batch_of(assembly, golden)).columns.at("plan");
}

Plan plan_with_ends(const std::string& component, bool good, bool compiled) {
    Options options = {{"continues", std::string("continues")}, {"horizon", std::int64_t{2}}};
    if (component != "plan/shooting") {
        options.push_back({"warm_start", false});
    }
    return {.columns = {real_column("observation", {2}), bounded_column("action", {-1}, {1})},
            .networks = {{.role = "actor", .component = component, .options = options},
                         {.role = "model", .component = good ? "test/EndingWell" : "test/EndingBadly", .options = {}}},
            .objective = "test/WritesPlan",
            .options = {},
            .compiled = compiled};
}

}  // namespace

TEST_CASE("planners take the actions of TorchRL's, in the equations of the pendulum", "[planners]") {
    const std::vector<PeerCase> cases = read_peer_cases("../planners.txt");
    REQUIRE(cases.size() == 2);
    for (const PeerCase& golden : cases) {
        for (const bool compiled : {false, true}) {
            CAPTURE(golden.name, compiled);
            Plan plan = plan_in(golden, DType::kF64);
            plan.compiled = compiled;
            const std::vector<double> actions = planned(std::move(plan), golden);
            const std::vector<double>& wanted = golden.written.front().values;
            REQUIRE(actions.size() == wanted.size());
            for (std::size_t row = 0; row < actions.size(); ++row) {
                CHECK(actions[row] == Catch::Approx(wanted[row]).epsilon(1e-9));
            }
        }
    }
}

TEST_CASE("a planner that knows of ends avoids them where steps are good, and seeks them where they are not",
          "[planners]") {
    for (const char* const component : {"plan/cem", "plan/mppi", "plan/shooting"}) {
        for (const bool good : {false, true}) {
            for (const bool compiled : {false, true}) {
                CAPTURE(component, good, compiled);
                Assembly assembly(plan_with_ends(component, good, compiled));
                assembly.build();
                assembly.load();
                const FilledBatch batch(assembly.columns(), {.rows = 7}, 5);
                const Outcome outcome = assembly.run(batch);
                for (const double action : outcome.columns.at("plan")) {
                    CAPTURE(action);
                    CHECK((action < 0) == good);
                }
            }
        }
    }
}

}  // namespace planners_test
