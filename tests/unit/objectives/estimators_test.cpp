// SPDX-License-Identifier: Apache-2.0
// Advantages and returns over [T, L] columns: against loops that follow the rules in tenon/estimators.hpp word for
// word, and against TorchRL's numbers (tests/golden/estimators.txt). Where episodes end inside the batch, terminated
// cuts the bootstrap and done the trace; the last row bootstraps from its next value. TorchRL 0.14.1 follows the same
// rules, to which the next values need not be the values of the next row.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "by_hand.hpp"
#include "compute/exec/composites.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace estimators_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct Settings {
    double gamma;
    double lambda;
    double rho_max;
    double c_max;
};

Plan plan(const Settings& s) {
    return {.columns = {real_column("reward"), real_column("value"), real_column("next_value"), real_column("log_pi"),
                        real_column("log_mu"), flag_column("terminated"), flag_column("done")},
            .networks = {},
            .objective = "test/Estimators",
            .options = {{"gamma", s.gamma}, {"lambda", s.lambda}, {"rho_max", s.rho_max}, {"c_max", s.c_max}}};
}

// One lane, last step first.
void by_loop(const FilledBatch& batch, const Settings& s, std::size_t lane, Columns& out) {
    const auto lanes = static_cast<std::size_t>(batch.sizes().lanes);
    const auto steps = static_cast<std::size_t>(batch.sizes().time);
    double advantage = 0;   // of the step after
    double correction = 0;  // v_s - v of the step after
    double following = 0;   // return of the step after
    double sampled = 0;     // the same without any value but that at a cut
    double collected = 0;   // the same without any value
    for (std::size_t t = steps; t-- > 0;) {
        const std::size_t i = t * lanes + lane;
        const bool terminated = batch["terminated"][i] != 0;
        const bool done = batch["done"][i] != 0;
        const double r = batch["reward"][i];
        const double v = batch["value"][i];
        const double next_value = batch["next_value"][i];
        const double ratio = std::exp(batch["log_pi"][i] - batch["log_mu"][i]);

        const double bootstrap = terminated ? 0 : s.gamma * next_value;
        advantage = r + bootstrap - v + (done ? 0 : s.gamma * s.lambda * advantage);
        const double tail = done || t + 1 == steps ? next_value : following;
        following = r + (terminated ? 0 : s.gamma * ((1 - s.lambda) * next_value + s.lambda * tail));
        const double later = terminated ? 0 : s.gamma * (next_value + (done ? 0 : correction));
        out.at("vtrace_advantage")[i] = std::min(ratio, s.rho_max) * (r + later - v);
        correction = std::min(ratio, s.rho_max) * (r + bootstrap - v) +
                     (done ? 0 : s.gamma * std::min(ratio, s.c_max) * correction);
        sampled = r + (terminated ? 0 : s.gamma * (done || t + 1 == steps ? next_value : sampled));
        collected = r + (done ? 0 : s.gamma * collected);
        out.at("gae")[i] = advantage;
        out.at("gae_target")[i] = advantage + v;
        out.at("td_lambda")[i] = following;
        out.at("vtrace")[i] = v + correction;
        out.at("smooth_l1")[i] = test::smooth_l1(r - v);
        out.at("td0")[i] = r + bootstrap;
        out.at("td1")[i] = sampled;
        out.at("reward_to_go")[i] = collected;
    }
}

const std::vector<std::string> kOfTorchRL = {"gae", "gae_target", "td_lambda", "vtrace", "smooth_l1"};
const std::vector<std::string> kEstimates = {"gae", "gae_target", "td_lambda",    "vtrace",          "smooth_l1",
                                             "td0", "td1",        "reward_to_go", "vtrace_advantage"};

Columns room_for(const FilledBatch& batch) {
    Columns out;
    for (const std::string& name : kEstimates) {
        out[name].resize(batch.rows());
    }
    return out;
}

// Done steps are those that terminate and some more.
FilledBatch random_batch(const Assembly& assembly, Sizes sizes, std::uint64_t seed) {
    FilledBatch batch(assembly.columns(), sizes, seed);
    std::vector<double> done = batch["done"];
    for (std::size_t i = 0; i < done.size(); ++i) {
        done[i] = std::max(done[i], batch["terminated"][i]);
    }
    batch.set("done", done);
    return batch;
}

}  // namespace

TEST_CASE("estimators are TorchRL's") {
    const std::vector<GoldenCase> cases = read_golden("estimators.txt");
    REQUIRE(cases.size() == 6);
    for (const GoldenCase& golden : cases) {
        const std::vector<double>& options = golden["options"];
        const Settings settings{options.at(0), options.at(1), options.at(2), options.at(3)};
        Assembly assembly(plan(settings));
        FilledBatch batch(assembly.columns(),
                          {.time = static_cast<std::int64_t>(golden.number("steps")),
                           .lanes = static_cast<std::int64_t>(golden.number("lanes"))},
                          1);
        for (const graph::Column& column : assembly.columns()) {
            batch.set(column.spec.key, golden[column.spec.key]);
        }
        const Columns out = assembly.forward("prepare", batch);
        Columns by_rule = room_for(batch);
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.sizes().lanes); ++lane) {
            by_loop(batch, settings, lane, by_rule);
        }
        for (const std::string& name : kOfTorchRL) {
            CAPTURE(golden.name, name);
            CHECK(worst_difference(out.at(name), golden[name]) <= 1e-12);
            CHECK(worst_difference(by_rule.at(name), golden[name]) <= 1e-12);
        }
    }
}

TEST_CASE("estimators follow their rules on long batches of many lanes") {
    for (const Settings& settings : {Settings{0.99, 0.95, 1, 1}, Settings{0.9, 0, 0.7, 0.4}, Settings{1, 1, 3, 2}}) {
        Assembly assembly(plan(settings));
        const FilledBatch batch = random_batch(assembly, {.time = 64, .lanes = 7}, 51);
        const Columns out = assembly.forward("prepare", batch);
        Columns expected = room_for(batch);
        for (std::size_t lane = 0; lane < 7; ++lane) {
            by_loop(batch, settings, lane, expected);
        }
        for (const std::string& name : kEstimates) {
            CAPTURE(settings.gamma, settings.lambda, name);
            CHECK(worst_difference(out.at(name), expected.at(name)) <= 1e-12);
        }
    }
}

TEST_CASE("what the executor computes in one pass has the bits of the composites' bodies") {
    for (const DType real : {DType::kF32, DType::kF64}) {
        for (const Sizes sizes : {Sizes{.rows = 0, .time = 33, .lanes = 19}, Sizes{.rows = 0, .time = 1, .lanes = 3}}) {
            Plan settled = plan({0.97, 0.9, 1.2, 0.8});
            settled.real = real;
            Assembly assembly(settled);
            const FilledBatch batch = random_batch(assembly, sizes, 59);
            const Columns whole = assembly.forward("prepare", batch);
            assembly.by_body = true;
            const Columns pieces = assembly.forward("prepare", batch);
            for (const std::string name : {"gae", "td_lambda", "vtrace", "reward_to_go"}) {
                CAPTURE(name, sizes.lanes);
                CHECK(whole.at(name) == pieces.at(name));
            }
        }
    }
}

TEST_CASE(
    "the executor computes estimators in one pass where their inputs are sequences over the same rows, and numbers") {
    Assembly assembly(plan({0.97, 0.9, 1.2, 0.8}));
    const graph::Graph built = assembly.build_forward("prepare", {graph::kTime, graph::kLanes});
    const auto in_one_pass = [](const graph::Graph& graph) {
        std::multiset<std::string> out;
        for (const graph::Node& node : with_composites(graph).nodes) {
            if (node.op != nullptr && node.is(graph::OpId::kComposite_1)) {
                out.insert(graph::string_attribute(node, "name"));
            }
        }
        return out;
    };
    const std::multiset<std::string> all = in_one_pass(built);
    CHECK(std::set<std::string>(all.begin(), all.end()) ==
          std::set<std::string>{"gae", "reward_to_go", "td_lambda", "vtrace"});
    for (const graph::Region& region : built.regions) {
        for (std::size_t i = 0; i < region.arguments.size() && all.contains(region.name); ++i) {
            CAPTURE(region.name, i);
            graph::Graph other = built;
            graph::Type& type = other.values[region.arguments[i]].type;
            type.kind = type.kind == graph::Kind::kBool ? graph::Kind::kReal : graph::Kind::kBool;
            CHECK(in_one_pass(other).count(region.name) < all.count(region.name));
            type = built.type(region.arguments[i]);
            type.dims = type.dims.empty() ? built.type(region.outputs.front()).dims : std::vector<graph::Dim>{};
            CHECK(in_one_pass(other).count(region.name) < all.count(region.name));
        }
    }
}

TEST_CASE("terminated cuts the bootstrap, truncated does not, and both cut the trace") {
    const Settings settings{0.9, 0.8, 1, 1};
    Assembly assembly(plan(settings));
    FilledBatch batch(assembly.columns(), {.time = 5, .lanes = 2}, 53);
    // step 2 of lane 0 terminates, that of lane 1 is truncated
    batch.set("terminated", {0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
    batch.set("done", {0, 0, 0, 0, 1, 1, 0, 0, 0, 0});
    const Columns before = assembly.forward("prepare", batch);
    const auto changed = [&](std::string_view key, std::size_t row) {
        FilledBatch other = batch;
        std::vector<double> values = other[key];
        values[row] += 10;
        other.set(key, values);
        return assembly.forward("prepare", other);
    };
    for (const std::string name : {"gae", "td_lambda", "vtrace"}) {
        CAPTURE(name);
        const std::vector<double>& was = before.at(name);
        // what comes after the end moves nothing before it
        const Columns later = changed("reward", 6);
        CHECK(later.at(name)[6] != was[6]);
        for (const std::size_t row : {0U, 2U, 4U}) {
            CHECK(later.at(name)[row] == was[row]);
        }
        // the next value of the step that terminates counts nowhere, that of the truncated one does
        CHECK(changed("next_value", 4).at(name) == was);
        const Columns truncated = changed("next_value", 5);
        for (const std::size_t row : {1U, 3U, 5U}) {
            CHECK(truncated.at(name)[row] != was[row]);
        }
        // the last row bootstraps, and so do the ones before it
        const Columns last = changed("next_value", 8);
        CHECK(last.at(name)[8] != was[8]);
        CHECK(last.at(name)[6] != was[6]);
        CHECK(last.at(name)[4] == was[4]);
    }
}

TEST_CASE("TD(lambda) with lambda 0 is TD(0), with lambda 1 TD(1), and that without values the rewards to go") {
    for (const double gamma : {0.9, 1.0}) {
        Assembly zero(plan({gamma, 0, 1, 1}));
        Assembly one(plan({gamma, 1, 1, 1}));
        const FilledBatch batch = random_batch(one, {.time = 20, .lanes = 4}, 57);
        const Columns at_zero = zero.forward("prepare", batch);
        const Columns at_one = one.forward("prepare", batch);
        CHECK(worst_difference(at_zero.at("td_lambda"), at_zero.at("td0")) <= 1e-14);
        CHECK(worst_difference(at_one.at("td_lambda"), at_one.at("td1")) <= 1e-14);
        CHECK(worst_difference(at_one.at("td0"), at_one.at("td1")) > 0.1);
        // where episodes that are cut short have no value ahead, nothing tells TD(1) from the rewards to go
        FilledBatch worthless = batch;
        worthless.set("next_value", std::vector<double>(batch.rows(), 0));
        const Columns by_rewards = one.forward("prepare", worthless);
        CHECK(worst_difference(by_rewards.at("td1"), by_rewards.at("reward_to_go")) <= 1e-14);
    }
}

}  // namespace estimators_test
