// SPDX-License-Identifier: Apache-2.0
// Loops of a number of steps with an actor in them: the values and gradients are those of the same steps written one
// after the other, on both executors, and of central differences.
#include <algorithm>
#include <random>

#include "gradients.hpp"
#include "support/catch.hpp"

namespace imagining_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kHorizon = 4;
constexpr std::size_t kState = 3;
const std::vector<graph::Dim> kRowsOnly = {graph::kRows};
const std::vector<graph::Dim> kSequences = {graph::kTime, graph::kLanes};

Plan plan_of(const std::string& objective, bool compiled, const std::vector<graph::Dim>& leading) {
    Plan plan{
        .columns = {real_column("observation", {kState}), bounded_column("action", {-1}, {1}), flag_column("is_init")},
        .networks = {{.role = "actor",
                      .component = "mlp/tanh_normal",
                      .options = {{"hidden", std::vector<std::int64_t>{6}}}}},
        .objective = "test/" + objective,
        .options = {},
        .compiled = compiled,
        .leading = leading};
    if (objective.starts_with("Remembers")) {
        plan.networks[0].options.push_back({"cell", std::string("gru")});
        plan.networks[0].options.push_back({"cell_size", std::int64_t{5}});
        plan.columns.push_back(real_column("hidden", {5}));
    }
    return plan;
}

Sizes sizes_of(const std::vector<graph::Dim>& leading) {
    return leading == kRowsOnly ? Sizes{.rows = 7} : Sizes{.rows = 0, .time = 3, .lanes = 2};
}

struct Learnt {
    Outcome outcome;
    std::vector<double> gradients;
};

Learnt learn(const std::string& objective, bool compiled, const std::vector<graph::Dim>& leading) {
    Assembly assembly(plan_of(objective, compiled, leading));
    const FilledBatch batch(assembly.columns(), sizes_of(leading), 5);
    if (objective.starts_with("Imagines")) {
        std::mt19937 random(9);
        std::normal_distribution<double> normal;
        std::vector<double>& noise = assembly.draws["test/" + objective + ".update/noise"];
        noise.resize(kHorizon * batch.rows() * kState);
        std::ranges::generate(noise, [&] { return normal(random); });
    }
    assembly.build();
    assembly.load();
    Learnt out{.outcome = assembly.run(batch), .gradients = {}};
    for (const Network& network : assembly.learner.networks) {
        const std::vector<double> its = numbers(network, network.gradient);
        out.gradients.insert(out.gradients.end(), its.begin(), its.end());
    }
    if (!objective.ends_with("Unrolled")) {
        const GradientCheck gradients = check_gradients(assembly, batch);
        CHECK(gradients.worst <= 1e-6);
        CHECK(gradients.smallest_network > 0.01);
    }
    return out;
}

void check_near(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK(a[i] == Catch::Approx(b[i]).epsilon(1e-11).margin(1e-13));
    }
}

void check_like_unrolled(const std::string& objective, const std::string& loss) {
    for (const bool compiled : {false, true}) {
        for (const auto& leading : {kRowsOnly, kSequences}) {
            CAPTURE(objective, compiled, leading.size());
            const Learnt looped = learn(objective, compiled, leading);
            const Learnt unrolled = learn(objective + "Unrolled", compiled, leading);
            CHECK(looped.outcome.losses.at(loss) == Catch::Approx(unrolled.outcome.losses.at(loss)).epsilon(1e-12));
            check_near(looped.gradients, unrolled.gradients);
            for (const auto& [name, values] : looped.outcome.columns) {
                CAPTURE(name);
                check_near(values, unrolled.outcome.columns.at(name));
            }
        }
    }
}

}  // namespace

namespace {

Plan plan_of_thoughts(const std::string& objective, bool looped, bool compiled) {
    return {
        .columns = {real_column("observation", {kState}), real_column("next.observation", {kState}),
                    real_column("net.trace", {kState}), flag_column("is_init")},
        .networks = {{.role = "net", .component = looped ? "test/Thinking" : "test/ThinkingUnrolled", .options = {}}},
        .objective = "test/" + objective,
        .options = {},
        .compiled = compiled,
        .leading = kSequences};
}

Learnt think(const std::string& objective, bool looped, bool compiled) {
    Assembly assembly(plan_of_thoughts(objective, looped, compiled));
    const FilledBatch batch(assembly.columns(), sizes_of(kSequences), 5);
    assembly.build();
    assembly.load();
    Learnt out{.outcome = assembly.run(batch), .gradients = {}};
    if (objective.starts_with("Weighs")) {
        const Network& net = assembly.network("net");
        out.gradients = numbers(net, net.gradient);
        CHECK(std::ranges::max(out.gradients) > 0.01);
    }
    return out;
}

void check_thinking(const std::string& objective, bool compiled) {
    CAPTURE(objective, compiled);
    const Learnt looped = think(objective, true, compiled);
    const Learnt unrolled = think(objective, false, compiled);
    CHECK(looped.outcome.losses.at("all.said") == Catch::Approx(unrolled.outcome.losses.at("all.said")).epsilon(1e-12));
    check_near(looped.gradients, unrolled.gradients);
    for (const char* const column : {"now", "next"}) {
        check_near(looped.outcome.columns.at(column), unrolled.outcome.columns.at(column));
    }
}

}  // namespace

TEST_CASE("a loop in a remembering network's step gives what its steps written one after the other do") {
    for (const bool compiled : {false, true}) {
        for (const char* const objective :
             {"WeighsThought", "WeighsGlance", "WeighsWords", "WeighsLetters", "WeighsMusing"}) {
            check_thinking(objective, compiled);
        }
    }
}

TEST_CASE("the gradients of a loop inside of a loop are central differences") {
    for (const char* const objective : {"WeighsThought", "WeighsLetters", "WeighsMusing"}) {
        CAPTURE(objective);
        Assembly assembly(plan_of_thoughts(objective, true, true));
        const FilledBatch batch(assembly.columns(), sizes_of(kSequences), 5);
        assembly.build();
        assembly.load();
        assembly.run(batch);
        const GradientCheck gradients = check_gradients(assembly, batch);
        CHECK(gradients.worst <= 1e-6);
        CHECK(gradients.smallest_network > 0.01);
    }
}

TEST_CASE("each step of a loop in a remembering network draws numbers of its own") {
    for (const char* const objective : {"WritesDraws", "WritesDrawsOfLoops", "WritesMemoryOfDraws"}) {
        CAPTURE(objective);
        const Learnt reference = think(objective, true, false);
        std::vector<double> drawn = reference.outcome.columns.at("draws");
        CHECK(drawn == think(objective, true, true).outcome.columns.at("draws"));
        CHECK(drawn.size() % 6 == 0);
        std::ranges::sort(drawn);
        CHECK(std::ranges::adjacent_find(drawn) == drawn.end());
    }
}

TEST_CASE("an imagined future and its returns are those of the steps written one after the other") {
    check_like_unrolled("Imagines", "all.returns");
}

TEST_CASE("a loop carries the memory of an actor that is bound to it") {
    check_like_unrolled("Remembers", "all.actions");
}

TEST_CASE("each step of a loop draws numbers of its own, the same on both executors") {
    for (const auto& leading : {kRowsOnly, kSequences}) {
        CAPTURE(leading.size());
        const Learnt reference = learn("Draws", false, leading);
        const Learnt compiled = learn("Draws", true, leading);
        check_near(reference.outcome.columns.at("actions"), compiled.outcome.columns.at("actions"));
        check_near(reference.gradients, compiled.gradients);
        std::vector<double> noises = reference.outcome.columns.at("noises");
        CHECK(noises == compiled.outcome.columns.at("noises"));
        std::ranges::sort(noises);
        CHECK(std::ranges::adjacent_find(noises) == noises.end());
    }
}

}  // namespace imagining_test
