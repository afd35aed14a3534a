// SPDX-License-Identifier: Apache-2.0
// Dreamer against plain loops in torch (tests/golden/dreamer.txt), and its third version against TorchRL's losses
// (tests/golden/dreamer3.txt): the losses of the three stages and their gradients, over sequences in which episodes
// begin, with the same random numbers.
#include <algorithm>
#include <cmath>
#include <string>

#include "assembly.hpp"
#include "golden.hpp"
#include "golden_losses.hpp"
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

Plan third(bool choices, bool compiled) {
    const Options body = {{"hidden", std::int64_t{6}}, {"layers", std::int64_t{1}}};
    const Options two_hot = {{"hidden", std::int64_t{6}}, {"layers", std::int64_t{1}}, {"bins", std::int64_t{11}}};
    return {.columns = {real_column("observation", {3}), real_column("next.observation", {3}),
                        choices ? categorical_column("action", 3) : bounded_column("action", {-2, -0.5}, {1, 3}),
                        real_column("next.reward"), flag_column("next.terminated"), flag_column("next.truncated"),
                        flag_column("next.done"), flag_column("is_init"), real_column("world.memory", {8})},
            .networks = {{.role = "world",
                          .component = "world/rssm3",
                          .options = {{"memory_size", std::int64_t{8}},
                                      {"blocks", std::int64_t{2}},
                                      {"latents", std::int64_t{3}},
                                      {"classes", std::int64_t{4}},
                                      {"hidden", std::int64_t{6}},
                                      {"encoder_layers", std::int64_t{1}},
                                      {"decoder_layers", std::int64_t{1}},
                                      {"bins", std::int64_t{11}}}},
                         {.role = "actor",
                          .component = choices ? "world/categorical" : "world/bounded_normal",
                          .options = body},
                         {.role = "value", .component = "world/two_hot", .options = two_hot}},
            .objective = "dreamer/v3",
            .options = {{"horizon", std::int64_t{4}},
                        {"free_nats", 0.3},
                        {"gamma", 0.9},
                        {"lambda", 0.8},
                        {"dynamics_coefficient", 0.7},
                        {"representation_coefficient", 0.2},
                        {"entropy_coefficient", 0.03},
                        {"slow_coefficient", 0.6},
                        {"replay_coefficient", 0.4},
                        {"return_rate", 0.5}},
            .compiled = compiled,
            .leading = {graph::kTime, graph::kLanes}};
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

// A dense layer without weights gives its bias, so that the picture does not depend on what is drawn.
TEST_CASE("pictures are decoded by transposed convolutions as torch computes them") {
    const GoldenCase golden = golden_case("picture_decoder.txt", "decoder");
    for (const bool compiled : {false, true}) {
        Plan plan = third(false, compiled);
        plan.columns[0] = real_column("observation", {2, 8, 12}, DType::kU8);
        plan.columns[1] = real_column("next.observation", {2, 8, 12}, DType::kU8);
        Options& options = plan.networks[0].options;
        std::ranges::find(options, "decoder_layers", [](const auto& option) { return option.first; })->second =
            std::int64_t{0};
        options.push_back({"in", std::vector<std::string>{"trunk.features"}});
        options.push_back({"decodes", std::vector<std::string>{"observation"}});
        options.push_back({"filters", std::vector<std::int64_t>{3, 4}});
        plan.networks.push_back({.role = "trunk", .component = "test/Flattens", .options = {}});
        Assembly assembly(std::move(plan));
        FilledBatch batch(assembly.columns(), {.rows = 0, .time = 5, .lanes = kLanes}, 1);
        batch.set("observation", golden["observation"]);
        assembly.build();
        const Network& world = assembly.network("world");
        for (const Parameter& parameter : world.layout.parameters) {
            if (parameter.name == "decoder.small.weight") {
                std::fill_n(world.live.as<double>() + parameter.offset, parameter.size, 0.0);
            } else if (parameter.name.starts_with("decoder.")) {
                set_parameter(world.live, parameter, golden[parameter.name]);
            }
        }
        assembly.load();
        const Outcome outcome = assembly.run(batch);
        CHECK(worst_difference({outcome.losses.at("world.observation")}, golden["loss"]) <= 1e-12);
        std::size_t compared = 0;
        for (const Parameter& parameter : world.layout.parameters) {
            const auto expected = golden.lists.find("gradient/" + parameter.name);
            if (expected != golden.lists.end()) {
                CAPTURE(compiled, parameter.name);
                const double* first = world.gradient.as<double>() + parameter.offset;
                CHECK(worst_difference({first, first + parameter.size}, expected->second) <= 1e-11);
                ++compared;
            }
        }
        CHECK(compared == 7);
    }
}

TEST_CASE("Dreamer's losses and gradients are those of plain loops in torch") {
    for (const bool compiled : {false, true}) {
        check_losses(golden_case("dreamer.txt", "dreamer"), plan_of(compiled),
                     {.rows = 0, .time = kSteps, .lanes = kLanes}, 7, 1e-12);
    }
}

TEST_CASE("the third Dreamer's losses and gradients are TorchRL's, for bounded actions and for choices") {
    for (const bool compiled : {false, true}) {
        check_losses(golden_case("dreamer3.txt", "normal"), third(false, compiled),
                     {.rows = 0, .time = 5, .lanes = kLanes}, 10, 1e-10);
        check_losses(golden_case("dreamer3.txt", "choice"), third(true, compiled),
                     {.rows = 0, .time = 5, .lanes = kLanes}, 10, 1e-10);
    }
}

}  // namespace dreamer_test
