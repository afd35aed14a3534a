// SPDX-License-Identifier: Apache-2.0
// Fused nodes: a kernel gives what the same loss gives op by op, on both executors, and one that does not is refused by
// name.
#include <cmath>
#include <string>
#include <vector>

#include "actor_rig.hpp"
#include "compute/exec/fused_nodes.hpp"
#include "compute/gradient/gradients.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "fused_authors.hpp"
#include "support/catch.hpp"

namespace fused_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

Plan powers_plan(const std::string& objective, bool compiled = false, DType real = DType::kF64,
                 std::int64_t members = 1) {
    return {.columns = {real_column("observation", {3}), real_column("reward")},
            .networks = {{.role = "net",
                          .component = "mlp/value",
                          .options = {{"hidden", std::vector<std::int64_t>{4}}},
                          .count = members}},
            .objective = objective,
            .options = {},
            .real = real,
            .compiled = compiled};
}

// All gradients of all networks, one after the other.
std::vector<double> gradients(const Assembly& assembly) {
    std::vector<double> out;
    for (const Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            for (std::size_t i = 0; parameter.trainable && i < parameter.size; ++i) {
                out.push_back(assembly.learner.real == DType::kF64
                                  ? network.gradient.as<double>()[parameter.offset + i]
                                  : network.gradient.as<float>()[parameter.offset + i]);
            }
        }
    }
    return out;
}

struct Computed {
    Outcome outcome;
    std::vector<double> gradients;
};

Computed computed(const Plan& plan, const FilledBatch* given = nullptr, std::uint64_t seed = 5) {
    Assembly assembly(plan);
    assembly.build();
    assembly.load();
    const FilledBatch batch = given == nullptr ? FilledBatch(assembly.columns(), {.rows = 21}, seed) : *given;
    Computed out;
    out.outcome = assembly.run(batch);
    out.gradients = gradients(assembly);
    return out;
}

void check_equal(const Computed& ours, const Computed& theirs, double most) {
    for (const auto& [name, value] : theirs.outcome.losses) {
        CHECK(ours.outcome.losses.at(name) == Catch::Approx(value).epsilon(most).margin(most));
    }
    for (const auto& [name, value] : theirs.outcome.metrics) {
        CHECK(ours.outcome.metrics.at(name) == Catch::Approx(value).epsilon(most).margin(most));
    }
    REQUIRE(ours.gradients.size() == theirs.gradients.size());
    double largest = 0;
    double apart = 0;
    for (std::size_t i = 0; i < ours.gradients.size(); ++i) {
        largest = std::max(largest, std::abs(theirs.gradients[i]));
        apart = std::max(apart, std::abs(ours.gradients[i] - theirs.gradients[i]));
    }
    REQUIRE(largest > 0.01);
    CHECK(apart <= most * largest);
}

// What an update's first run is refused with.
Problem refused(const std::string& objective, bool compiled, DType real = DType::kF64) {
    Assembly assembly(powers_plan(objective, compiled, real));
    assembly.build();
    if (Status loaded = assembly.try_load(); !loaded) {
        return loaded.error();
    }
    Outcome outcome;
    const Status done = assembly.try_run(FilledBatch(assembly.columns(), {.rows = 8}, 5), {}, outcome);
    REQUIRE_FALSE(done.has_value());
    return done.error();
}

std::string told_at_wiring(const std::string& objective, const std::vector<graph::Dim>& leading = {graph::kRows}) {
    Plan plan = powers_plan(objective);
    plan.leading = leading;
    const Problems problems = Assembly(plan).try_build();
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().place.file, EndsWith("fused_authors.cpp"));
    CHECK(problems.front().fault == Fault::kPlugin);
    return problems.front().sentence;
}

Plan ppo_plan(const std::string& objective, bool compiled, DType real) {
    Plan plan = actor_plan(objective, {{"clip_epsilon", 0.1}, {"clip_value", 0.7}, {"normalise_advantage", true}});
    plan.compiled = compiled;
    plan.real = real;
    return plan;
}

// Of an older policy, so that some ratios leave the clipping range.
FilledBatch ppo_batch() {
    Assembly assembly(ppo_plan("ppo/ppo", false, DType::kF64));
    assembly.build();
    FilledBatch batch(assembly.columns(), {.rows = 32}, 7);
    std::vector<double> stored = batch["log_prob"];
    for (std::size_t i = 0; i < stored.size(); ++i) {
        stored[i] = log_prob(assembly.network("actor"), batch, i) + 0.15 * stored[i];
    }
    batch.set("log_prob", stored);
    return batch;
}

}  // namespace

TEST_CASE("PPO by a kernel has the losses, metrics and gradients of PPO op by op") {
    const FilledBatch batch = ppo_batch();
    for (const bool compiled : {false, true}) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(compiled, real == DType::kF64);
            const Computed by_ops = computed(ppo_plan("ppo/ppo", compiled, real), &batch);
            REQUIRE(by_ops.outcome.metrics.at("clip_fraction") > 0.1);
            REQUIRE(by_ops.outcome.metrics.at("clip_fraction") < 0.9);
            check_equal(computed(ppo_plan("ppo_fused/ppo", compiled, real), &batch), by_ops,
                        real == DType::kF64 ? 1e-9 : 2e-5);
        }
    }
}

TEST_CASE("a kernel has the gradient that its author wrote, with a body and without one") {
    for (const bool compiled : {false, true}) {
        for (const std::int64_t members : {std::int64_t{1}, std::int64_t{3}}) {
            CAPTURE(compiled, members);
            const Computed by_ops = computed(powers_plan("test/OpByOp", compiled, DType::kF64, members));
            check_equal(computed(powers_plan("test/Body", compiled, DType::kF64, members)), by_ops, 1e-12);
            check_equal(computed(powers_plan("test/Secret", compiled, DType::kF64, members)), by_ops, 1e-12);
        }
        const Computed by_ops = computed(powers_plan("test/OpByOp", compiled, DType::kF32));
        check_equal(computed(powers_plan("test/Body", compiled, DType::kF32)), by_ops, 1e-5);
        check_equal(computed(powers_plan("test/Secret", compiled, DType::kF32)), by_ops, 1e-5);
    }
}

TEST_CASE("a wrong kernel is refused by name before anything is learnt from it") {
    for (const bool compiled : {false, true}) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(compiled, real == DType::kF64);
            const Problem backward = refused("test/WrongBackward", compiled, real);
            CHECK_THAT(backward.sentence,
                       ContainsSubstring("test/WrongBackward: backward of the kernel 'powers' gives ") &&
                           ContainsSubstring(" for in_gradient[0] at element 0, but the gradient of its body is "));
            CHECK_THAT(backward.place.file, EndsWith("fused_authors.cpp"));
            CHECK(backward.place.line == line_of_kernel());
            CHECK(backward.fault == Fault::kPlugin);
            CHECK_THAT(
                refused("test/WrongSecret", compiled, real).sentence,
                ContainsSubstring("test/WrongSecret: backward of the kernel 'powers' gives ") &&
                    ContainsSubstring(" for in_gradient[0] at element 0, but finite differences of its forward are "));
            CHECK_THAT(refused("test/WrongForward", compiled, real).sentence,
                       ContainsSubstring("test/WrongForward: forward of the kernel 'powers' gives ") &&
                           ContainsSubstring(" for out[1] at element 7, but its body "));
        }
    }
}

TEST_CASE("a kernel is compared with a body of images, too") {
    for (const bool compiled : {false, true}) {
        check_equal(computed(powers_plan("test/Image", compiled)), computed(powers_plan("test/OpByOp", compiled)),
                    1e-12);
        CHECK_THAT(refused("test/WrongImage", compiled).sentence,
                   ContainsSubstring("in_gradient[0] at element 0, but the gradient of its body is "));
    }
}

TEST_CASE("where a function has a kink any number between its slopes is a gradient") {
    for (const char* objective : {"test/Kinked", "test/KinkedSecret"}) {
        Assembly assembly(powers_plan(objective));
        assembly.build();
        assembly.load();
        Network& net = assembly.network("net");
        std::fill_n(net.live.as<double>(), net.layout.size, 0.0);  // x is 0 in every row
        assembly.run(FilledBatch(assembly.columns(), {.rows = 8}, 5));
        CHECK(gradients(assembly).back() == 1);  // of the last bias: as the kernel says
    }
}

TEST_CASE("what a kernel fails with ends the run at its author's line") {
    for (const bool compiled : {false, true}) {
        const Problem problem = refused("test/Fails", compiled);
        CHECK(problem.sentence == "test/Fails, forward of 'powers': the moon is in the wrong house");
        CHECK(problem.place.line == line_of_kernel());
    }
}

TEST_CASE("what a kernel cannot do is told before it runs") {
    CHECK(refused("test/OnlyDouble", true, DType::kF32).sentence ==
          "test/OnlyDouble: the kernel 'powers' computes in float64 only, but run.dtype is \"float32\"");
    check_equal(computed(powers_plan("test/OnlyDouble")), computed(powers_plan("test/OpByOp")), 1e-12);
    for (const bool compiled : {false, true}) {
        CHECK_THAT(refused("test/NoBackward", compiled).sentence,
                   ContainsSubstring("test/NoBackward: the kernel 'powers' has no backward, but a loss reaches "
                                     "parameters through it"));
    }
}

TEST_CASE("mistakes of a graph with kernels are told at their line") {
    CHECK(told_at_wiring("test/Unknown") == "test/Unknown, update: there is no kernel 'power'; did you mean 'powers'?");
    CHECK(told_at_wiring("test/TwoInputs") == "test/TwoInputs, update: the kernel 'powers' takes 2 inputs, but got 3");
    CHECK(told_at_wiring("test/ThreeOutputs") ==
          "test/ThreeOutputs, update: the kernel 'powers' has 2 outputs, but its body gives 3");
    CHECK(told_at_wiring("test/Reads") ==
          "test/Reads, update: the body of the kernel 'powers' reads column 'reward', which is not an input of the "
          "kernel; make it one");
    CHECK_THAT(told_at_wiring("test/NoSizes"), ContainsSubstring("has 2 outputs; without a body the attribute"));
    CHECK(told_at_wiring("test/Scans", {graph::kTime, graph::kLanes}) ==
          "test/Scans, update: the kernel 'powers' is inside a scan, where fused nodes are not allowed");
}

TEST_CASE("equal fused nodes are one, and the text of a graph shows a kernel and its body") {
    Assembly assembly(powers_plan("test/Body"));
    assembly.build();
    const std::string text = graph::text(assembly.update.graph, graph::Places::kLeftOut);
    CHECK_THAT(text, ContainsSubstring(" kernel=\"powers\" of=\"test/Body\" revision=1") &&
                         ContainsSubstring(" fused powers/1 (") && ContainsSubstring(" body ("));
    CHECK(fused_uses(assembly.update.graph).size() == 1);
    CHECK(fused_uses(assembly.update.graph).front().wanted == std::vector<bool>{true, true});
}

TEST_CASE("a kernel has no second derivative, and says so") {
    Assembly assembly(powers_plan("test/Body"));
    assembly.build();
    graph::Graph graph = assembly.update.graph;
    graph::ValueId scale = 0;
    for (const graph::Node& node : graph.nodes) {
        if (node.op != nullptr && node.op->name == "parameter" && graph::string_attribute(node, "name") == "scale") {
            scale = node.first_output;
        }
    }
    REQUIRE(scale != 0);
    graph::Extension extension(graph);
    const graph::ValueId total =
        extension.emit(graph::OpId::kSumLike_1, {graph.losses[0].value, extension.constant(0)});
    const auto first = graph::add_gradients(extension, total, {scale});
    REQUIRE(first.has_value());
    const auto second = graph::add_gradients(extension, first->front(), {scale});
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().sentence ==
          "a second-order gradient of the kernel 'powers' is needed, but fused nodes have none");
    CHECK(second.error().place.line == line_of_kernel());
}

TEST_CASE("a penalty on the slope of a kernel differentiates its body, and is refused if it has none") {
    for (const bool compiled : {false, true}) {
        Assembly assembly(powers_plan("test/SlopesBody", compiled));
        const FilledBatch batch(assembly.columns(), {.rows = 9}, 3);
        assembly.build();
        assembly.load();
        assembly.run(batch);
        const GradientCheck check = check_gradients(assembly, batch);
        CHECK(check.worst <= 1e-6);
        CHECK(check.largest > 0.01);
    }
    Assembly secret(powers_plan("test/SlopesSecret"));
    const Problems problems = secret.try_build();
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].sentence, ContainsSubstring("gradient: a second-order gradient of the kernel 'ramp' is "
                                                       "needed, but fused nodes have none"));
    CHECK_THAT(problems[0].place.file, ContainsSubstring("fused_authors.cpp"));
}

}  // namespace fused_test
