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

}  // namespace planners_test
