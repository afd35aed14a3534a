// SPDX-License-Identifier: Apache-2.0
// Values learnt in deviations from a running mean: moments, rewritten layers, losses and steps against plain torch
// (tests/golden/value_norm.txt), and that no value moves where the last layer is rescaled too.
#include <algorithm>
#include <cmath>

#include "actor_rig.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace value_norm_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kRows = 20;
const std::vector<graph::Dim> kSequences = {graph::kTime, graph::kLanes};

// Without a discount the targets are the rewards.
Plan plan(const std::string& kind, double decay, const std::string& cell = "none", double rate = 0.01) {
    Plan out = actor_plan("a2c/a2c", {{"gamma", 0.0},
                                      {"value_loss", std::string("l2")},
                                      {"value_normalisation", kind},
                                      {"value_decay", decay},
                                      {"value_rate", rate}});
    out.networks[1].options.push_back({"cell", cell});
    out.optimiser = "sgd";
    out.lr = 0.1;
    return out;
}

FilledBatch batch_of(Assembly& assembly, std::uint64_t seed) {
    return {assembly.columns(), {.rows = 0, .time = kRows, .lanes = 1}, seed};
}

double& state(Assembly& assembly, const char* name) {
    const Network& objective = assembly.network("objective");
    return objective.live.as<double>()[objective.layout.find(name)->offset];
}

Vector parameters(Network& network, const std::vector<std::string>& names) {
    Vector out;
    for (const std::string& name : names) {
        const Parameter* const parameter = network.layout.find(name);
        const double* const first = network.live.as<double>() + parameter->offset;
        out.insert(out.end(), first, first + parameter->size);
    }
    return out;
}

void check(const Vector& got, const Vector& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK_THAT(got[i], Catch::Matchers::WithinAbs(expected[i], 1e-9 * std::max(1.0, std::abs(expected[i]))));
    }
}

void check_against_torch(const std::string& name, const std::string& kind) {
    CAPTURE(name);
    const GoldenCase golden = golden_case("value_norm.txt", name);
    const bool ranges = kind == "percentiles";
    Assembly assembly(plan(kind, golden.number("decay"), "none", ranges ? golden.number("rate") : 0.01));
    REQUIRE(assembly.try_build().empty());
    assembly.build_forward("prepare", kSequences);  // the two together know all of the states
    assembly.build();
    const std::vector<std::string> all = {"0.weight", "0.bias", "1.weight", "1.bias"};
    Network& value = assembly.network("value");
    for (const std::string& key : all) {
        std::ranges::copy(golden[key], value.live.as<double>() + value.layout.find(key)->offset);
    }
    assembly.load();
    for (const char* number : {".0", ".1", ".2"}) {
        CAPTURE(number);
        const auto of = [&](const char* key) { return golden[key + std::string(number)]; };
        FilledBatch collected = batch_of(assembly, 1);
        collected.set("observation", of("observation"));
        collected.set("next.reward", of("target"));
        const Columns prepared = assembly.forward("prepare", collected, {.commits = true});
        check(prepared.at("advantage"), of("advantage"));
        check(prepared.at("value_target"), of("target"));
        if (ranges) {
            check({state(assembly, "value_low"), state(assembly, "value_high")}, {of("low")[0], of("high")[0]});
        } else {
            check({state(assembly, "value_mean"), state(assembly, "value_variance")},
                  {of("mean")[0], of("variance")[0]});
            check(parameters(value, {"1.weight", "1.bias"}), of("rewritten"));
        }
        FilledBatch minibatch(assembly.columns(), {.rows = kRows}, 1);
        for (const char* key : {"observation", "next.reward"}) {
            minibatch.set(key, collected[key]);
        }
        minibatch.set("value_target", prepared.at("value_target"));
        minibatch.set("advantage", prepared.at("advantage"));
        CHECK_THAT(assembly.run(minibatch).losses.at("value"), Catch::Matchers::WithinRel(of("loss")[0], 1e-9));
        check(parameters(value, all), of("learnt"));
    }
}

// The values of states, as what a reward is better by.
Vector values(Assembly& assembly, const FilledBatch& batch) {
    const Columns prepared = assembly.forward("prepare", batch);
    Vector out;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        out.push_back(prepared.at("value_target")[i] - prepared.at("advantage")[i]);
    }
    return out;
}

}  // namespace

TEST_CASE("moments, rewritten layers and steps of normalised values are torch's") {
    check_against_torch("running", "running");
    check_against_torch("popart", "popart");
    check_against_torch("popart_forgets", "popart");
}

TEST_CASE("values that are divided by the range of percentiles, and steps of them, are TorchRL's") {
    check_against_torch("percentiles", "percentiles");
}

TEST_CASE("with popart no value moves while the moments do, by large steps and small; with running all do") {
    for (const char* cell : {"none", "gru"}) {
        for (const char* kind : {"popart", "running"}) {
            CAPTURE(cell, kind);
            Plan wanted = plan(kind, 0.5, cell);
            wanted.columns.push_back(flag_column("is_init"));
            wanted.columns.push_back(real_column("value.gru_hidden", {64}));
            Assembly assembly(std::move(wanted));
            assembly.build_forward("prepare", kSequences);
            for (const double size : {1.0, 3000.0, 3000.0, 0.02}) {
                FilledBatch batch = batch_of(assembly, 4);
                Vector rewards = batch["next.reward"];
                for (double& reward : rewards) {
                    reward *= size;
                }
                batch.set("next.reward", rewards);
                const double mean_before = state(assembly, "value_mean");
                const Vector before = values(assembly, batch);
                assembly.forward("prepare", batch, {.commits = true});
                CHECK(state(assembly, "value_mean") != mean_before);
                const Vector after = values(assembly, batch);
                double worst = 0;
                for (std::size_t i = 0; i < before.size(); ++i) {
                    worst = std::max(worst, std::abs(after[i] - before[i]) / std::max(1.0, std::abs(before[i])));
                }
                CHECK((worst < 1e-12) == (std::string(kind) == "popart"));
            }
        }
    }
}

TEST_CASE("who has no layer to rewrite is refused by name") {
    Plan wanted = plan("popart", 1.0);
    wanted.networks[1] = {.role = "value", .component = "test/PlainValue", .options = {}};
    Assembly assembly(std::move(wanted));
    const Problems problems = assembly.try_forward("prepare", kSequences);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].sentence,
               Catch::Matchers::ContainsSubstring(
                   "[policy.value] is test/PlainValue, which has no function 'rescale' (it has: value)"));
}

TEST_CASE("PPO's limits on how far a value moves count in deviations, too") {
    Plan wanted = actor_plan("ppo/ppo", {{"gamma", 0.0},
                                         {"clip_value", 0.2},
                                         {"value_loss", std::string("l2")},
                                         {"value_normalisation", std::string("running")}});
    Assembly assembly(std::move(wanted));
    assembly.build();
    assembly.load();
    const FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
    const double mean = state(assembly, "value_mean") = 0.5;
    const double deviation = std::sqrt(state(assembly, "value_variance") = 4.0);
    double expected = 0;
    int moved_far = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const double v = value_of(assembly.network("value"), batch, i);
        const double goal = (batch["value_target"][i] - mean) / deviation;
        const double before = (batch["value_target"][i] - batch["advantage"][i] - mean) / deviation;
        const double near = std::clamp(v, before - 0.2, before + 0.2);
        moved_far += near != v ? 1 : 0;
        expected += std::max((v - goal) * (v - goal), (near - goal) * (near - goal)) / 16;
    }
    CHECK(moved_far > 3);
    CHECK(assembly.run(batch).losses.at("value") == Catch::Approx(expected).epsilon(1e-12));
}

}  // namespace value_norm_test
