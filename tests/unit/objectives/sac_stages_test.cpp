// SPDX-License-Identifier: Apache-2.0
// What SAC's stages do to one another: nothing but what the objective says.
#include <algorithm>
#include <cmath>

#include "sac_rig.hpp"
#include "support/catch.hpp"

namespace sac_stages_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 40;

std::vector<double> gradient_of(Assembly& assembly, std::string_view role) {
    const Network& network = assembly.network(role);
    return numbers(network, network.gradient);
}

double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

double temperature(Assembly& assembly) {
    const Network& own = assembly.network("objective");
    return numbers(own, own.live)[0];
}

}  // namespace

TEST_CASE("a stage's gradient is that of the stage alone") {
    Assembly whole(sac_plan());
    whole.build();
    whole.load();
    const FilledBatch batch = sac_batch(whole);
    set_log_alpha(whole, 0.4);
    whole.run(batch, {.updates = 1});

    const std::vector<std::string> roles = {"qvalue", "actor", "objective"};
    for (std::size_t stage = 0; stage < 3; ++stage) {
        Assembly alone(sac_plan());
        alone.build();
        for (std::size_t other = 0; other < 3; ++other) {
            alone.stages[other].every = other == stage ? 1 : kNever;
        }
        alone.load();
        set_log_alpha(alone, 0.4);
        const Outcome outcome = alone.run(batch, {.updates = 1});
        for (std::size_t other = 0; other < 3; ++other) {
            CAPTURE(stage, other);
            CHECK(std::isnan(outcome.norms[other]) == (other != stage));
            if (other == stage) {
                CHECK(gradient_of(alone, roles[other]) == gradient_of(whole, roles[other]));
                CHECK(largest_of(gradient_of(alone, roles[other])) > 0.01);
            } else {
                CHECK(largest_of(gradient_of(alone, roles[other])) == 0);
            }
        }
    }
}

TEST_CASE("there are gradients across stages that do not leak") {
    Assembly assembly(sac_plan());
    assembly.build();
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    CHECK(largest_of(differences(assembly, batch, "actor", "qvalue")) > 0.01);
    CHECK(largest_of(differences(assembly, batch, "actor", "objective")) > 0.01);
    CHECK(largest_of(differences(assembly, batch, "critic", "actor")) > 0.001);
    CHECK(largest_of(differences(assembly, batch, "critic", "objective")) > 0.01);
}

TEST_CASE("the temperature rises where the entropy is below its target and falls where it is above") {
    Plan plan = sac_plan();
    plan.live = {"target_entropy"};
    plan.lr = 1e-3;
    const auto moved = [&](double target_entropy) {
        Assembly assembly(plan);
        assembly.build();
        assembly.load();
        assembly.live("objective.target_entropy") = target_entropy;
        const FilledBatch batch = sac_batch(assembly);
        assembly.run(batch);
        return std::pair{temperature(assembly), gradient_of(assembly, "objective")[0]};
    };
    const auto [up, steep] = moved(50);
    const auto [down, other] = moved(-50);
    CHECK(up == Catch::Approx(1e-3).epsilon(1e-6));  // Adam's first step is the learning rate
    CHECK(down == Catch::Approx(-1e-3).epsilon(1e-6));
    // the gradient is minus the mean of log_prob + target_entropy for each of two elements
    CHECK(steep - other == Catch::Approx(-200).epsilon(1e-13));
}

TEST_CASE("the target critics move by tau towards the live ones, once an update of the critics") {
    Plan plan = sac_plan();
    plan.lr = 1e-2;
    plan.target = {.kind = "soft", .tau = 0.125, .every = 1};
    Assembly assembly(plan);
    assembly.build();
    assembly.stages[0].every = 2;
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    const Network& q = assembly.network("qvalue");
    CHECK(assembly.network("actor").target.empty());
    for (int update = 0; update < 4; ++update) {
        const std::vector<double> live = numbers(q, q.live);
        std::vector<double> expected = numbers(q, q.target);
        assembly.run(batch, {.updates = static_cast<double>(update), .counter = static_cast<std::uint64_t>(update)});
        const std::vector<double> now = numbers(q, q.live);
        CHECK((now != live) == (update % 2 == 0));
        for (std::size_t i = 0; i < expected.size() && update % 2 == 0; ++i) {
            expected[i] += 0.125 * (now[i] - expected[i]);
        }
        CHECK(numbers(q, q.target) == expected);
    }
}

}  // namespace sac_stages_test
