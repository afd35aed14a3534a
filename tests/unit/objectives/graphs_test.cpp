// SPDX-License-Identifier: Apache-2.0
// The graphs of the objectives as text, held against tests/golden/graphs: an unintended change of an objective, a head,
// an estimator or the builder shows as a difference of a few lines. Made anew, to be read before it is checked in, by
//     TENON_REGENERATE_GOLDEN=1 build/release/tests/test_objectives "[graphs]"
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compute/graph/text.hpp"
#include "plans.hpp"
#include "support/catch.hpp"

namespace graphs_test {

using namespace tenon;
using namespace tenon::test;

namespace {

using Named = std::vector<std::pair<std::string, Plan (*)(DType)>>;

const Named kPreparing = {{"a2c", a2c_plan}, {"ppo", ppo_plan}, {"reinforce", reinforce_plan}};
const Named kPlans = {{"a2c", a2c_plan},
                      {"bc", bc_plan},
                      {"c51", c51_plan},
                      {"ddpg", ddpg_plan},
                      {"discrete_cql", discrete_cql_plan},
                      {"discrete_sac", discrete_sac_plan},
                      {"dqn", dqn_plan},
                      {"iql", iql_plan},
                      {"ppo", ppo_plan},
                      {"ppo_kl", ppo_kl_plan},
                      {"qr", qr_plan},
                      {"reinforce", reinforce_plan},
                      {"sac", sac_plan},
                      {"td3", td3_plan},
                      {"td3_bc", td3_bc_plan}};

std::string update_text(Plan plan) {
    Assembly assembly(std::move(plan));
    assembly.build();
    return graph::text(assembly.update.graph, graph::Places::kLeftOut);
}

std::string prepare_text(Plan plan) {
    Assembly assembly(std::move(plan));
    return graph::text(assembly.build_forward("prepare", {graph::kTime, graph::kLanes}), graph::Places::kLeftOut);
}

std::string golden(const std::string& name, const std::string& now) {
    const std::string path = TENON_GOLDEN_DIR "/graphs/" + name + ".txt";
    if (std::getenv("TENON_REGENERATE_GOLDEN") != nullptr) {
        std::ofstream out(path, std::ios::binary);
        out << now;
        REQUIRE(out.flush());
    }
    std::ifstream in(path, std::ios::binary);
    INFO(path << " is missing");
    REQUIRE(in);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The first line that differs, which says more than two pages.
void compare(const std::string& name, const std::string& now) {
    const std::string before = golden(name, now);
    std::istringstream a(before);
    std::istringstream b(now);
    std::string expected;
    std::string line;
    for (int number = 1; std::getline(a, expected) && std::getline(b, line); ++number) {
        CAPTURE(name, number);
        REQUIRE(line == expected);
    }
    CHECK(now == before);
}

}  // namespace

TEST_CASE("the graphs of the objectives are those that were checked in", "[graphs]") {
    for (const auto& [name, plan] : kPlans) {
        compare(name + "_update", update_text(plan(DType::kF32)));
    }
    for (const auto& [name, plan] : kPreparing) {
        compare(name + "_prepare", prepare_text(plan(DType::kF32)));
    }
}

TEST_CASE("a graph knows no dtype, and a second build is the first", "[graphs]") {
    for (const auto& [name, plan] : kPlans) {
        CAPTURE(name);
        const std::string first = update_text(plan(DType::kF32));
        CHECK(update_text(plan(DType::kF64)) == first);
        Assembly twice(plan(DType::kF32));
        twice.build();
        twice.build();
        CHECK(graph::text(twice.update.graph, graph::Places::kLeftOut) == first);
    }
    for (const auto& [name, plan] : kPreparing) {
        CAPTURE(name);
        CHECK(prepare_text(plan(DType::kF64)) == prepare_text(plan(DType::kF32)));
    }
}

}  // namespace graphs_test
