// SPDX-License-Identifier: Apache-2.0
// Dreamer against plain loops in torch (tests/golden/dreamer.txt): the losses of its three stages and their gradients,
// over sequences in which episodes begin, with the same random numbers.
#include <algorithm>
#include <cmath>
#include <string>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace dreamer_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kSteps = 4;
constexpr std::int64_t kLanes = 3;
const std::vector<std::int64_t> kHidden = {6};

Plan plan_of(bool compiled) {
    const Options body = {
        {"hidden", kHidden}, {"activation", std::string("silu")}, {"in", std::vector<std::string>{"world.features"}}};
    return {.columns = {real_column("observation", {3}), bounded_column("action", {-2, -0.5}, {1, 3}),
                        real_column("next.reward"), flag_column("next.terminated"), flag_column("is_init"),
                        real_column("world.memory", {5})},
            .networks =
                {{.role = "world",
                  .component = "world/rssm",
                  .options = {{"hidden", kHidden}, {"memory_size", std::int64_t{5}}, {"belief_size", std::int64_t{2}}}},
                 {.role = "actor", .component = "mlp/tanh_normal", .options = body},
                 {.role = "value", .component = "mlp/value", .options = body}},
            .objective = "dreamer/dreamer",
            .options = {{"horizon", std::int64_t{5}},
                        {"gamma", 0.9},
                        {"lambda", 0.8},
                        {"free_nats", 0.2},
                        {"balance", 0.7},
                        {"divergence_coefficient", 0.5},
                        {"entropy_coefficient", 0.03}},
            .compiled = compiled,
            .leading = {graph::kTime, graph::kLanes}};
}

void set(const Slab& slab, const Parameter& parameter, const std::vector<double>& values) {
    REQUIRE(values.size() == parameter.size);
    std::ranges::copy(values, slab.as<double>() + parameter.offset);
}

void check(bool compiled) {
    CAPTURE(compiled);
    const GoldenCase golden = golden_case("dreamer.txt", "dreamer");
    Assembly assembly(plan_of(compiled));
    FilledBatch batch(assembly.columns(), {.rows = 0, .time = kSteps, .lanes = kLanes}, 1);
    for (const graph::Column& column : assembly.columns()) {
        batch.set(column.spec.key, golden[column.spec.key]);
    }
    for (const auto& [name, values] : golden.lists) {
        if (name.starts_with("draw/")) {
            assembly.draws[name.substr(5)] = values;
        }
    }
    assembly.build();
    for (Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            const std::string name = network.layout.role + "/" + parameter.name;
            CAPTURE(name);
            REQUIRE(golden.lists.contains(name));
            set(network.live, parameter, golden[name]);
            if (golden.lists.contains("target/" + name)) {
                set(network.target, parameter, golden["target/" + name]);
            }
        }
    }
    assembly.load();
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.size() == 7);
    for (const auto& [name, loss] : outcome.losses) {
        CAPTURE(name);
        CHECK(worst_difference({loss}, golden["loss/" + name]) <= 1e-12);
    }
    for (const Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            CAPTURE(network.layout.role, parameter.name);
            const double* first = network.gradient.as<double>() + parameter.offset;
            const std::vector<double> computed(first, first + parameter.size);
            CHECK(worst_difference(computed, golden["gradient/" + network.layout.role + "/" + parameter.name]) <=
                  1e-11);
        }
    }
}

}  // namespace

TEST_CASE("a model over a trunk decodes what the env gave, and pixels as shares of 255") {
    for (const DType dtype : {DType::kF64, DType::kU8}) {
        Plan plan = plan_of(true);
        plan.columns[0] = real_column("observation", {2, 3}, dtype);
        plan.networks[0].options.push_back({"in", std::vector<std::string>{"trunk.features"}});
        plan.networks[0].options.push_back({"decodes", std::vector<std::string>{"observation"}});
        plan.networks.push_back({.role = "trunk", .component = "test/Flattens", .options = {}});
        Assembly assembly(std::move(plan));
        FilledBatch batch(assembly.columns(), {.rows = 0, .time = kSteps, .lanes = kLanes}, 1);
        std::vector<double> seen(6 * batch.rows());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            seen[i] = static_cast<double>(i * 7 % 256);
        }
        batch.set("observation", seen);
        assembly.build();
        Network& world = assembly.network("world");
        for (const Parameter& parameter : world.layout.parameters) {
            if (parameter.name.starts_with("decoder.1")) {  // so that it decodes zeros
                std::fill_n(world.live.as<double>() + parameter.offset, parameter.size, 0.0);
            }
        }
        assembly.load();
        double expected = 0;
        for (const double x : seen) {
            const double share = dtype == DType::kU8 ? x / 255 : x;
            expected += 0.5 * share * share / static_cast<double>(batch.rows());
        }
        CHECK(assembly.run(batch).losses.at("world.observation") == Catch::Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("Dreamer's losses and gradients are those of plain loops in torch") {
    check(false);
    check(true);
}

}  // namespace dreamer_test
