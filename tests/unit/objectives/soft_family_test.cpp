// SPDX-License-Identifier: Apache-2.0
// REDQ, CrossQ and CQL: gradients against central differences, and what each has beyond soft actor-critic.
#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "by_hand.hpp"
#include "sac_rig.hpp"
#include "support/catch.hpp"

namespace soft_family_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan_of(const std::string& objective, const Options& more = {}, std::int64_t critics = 2) {
    Plan plan = sac_plan();
    plan.objective = objective;
    plan.options.insert(plan.options.end(), more.begin(), more.end());
    plan.networks[1].count = critics;
    return plan;
}

void check_stages(Plan plan, std::size_t stages) {
    Assembly assembly(std::move(plan));
    assembly.build();
    assembly.load();
    REQUIRE(assembly.stages.size() == stages);
    for (const std::uint64_t counter : {0U, 5U}) {
        const GradientCheck check = check_gradients(assembly, sac_batch(assembly), {.counter = counter});
        CHECK(check.worst <= 1e-6);
        CHECK(check.smallest_network > 1e-3);
    }
}

struct Moments {
    Vector mean;
    Vector variance;  // unbiased
};

// Of what the first layer of every critic makes of (s, a) and of (s', a'), a' being what the actor draws with no noise.
Moments moments_of_first_layer(Assembly& assembly, const FilledBatch& batch) {
    const Network& q = assembly.network("qvalue");
    const Network& actor = assembly.network("actor");
    const Parameter* const weight = q.layout.find("0.weight");
    const Parameter* const bias = q.layout.find("0.bias");
    const std::size_t inputs = 5;
    const std::size_t width = 3;
    Moments out{Vector(2 * width), Vector(2 * width)};
    const double rows = 2.0 * static_cast<double>(batch.rows());
    for (std::size_t unit = 0; unit < 2 * width; ++unit) {
        Vector seen;
        for (std::size_t i = 0; i < batch.rows(); ++i) {
            Vector now = batch.row("observation", i);
            std::ranges::copy(batch.row("action", i), std::back_inserter(now));
            Vector next = batch.row("next.observation", i);
            const Vector drawn = squash(mlp(actor, actor.live, next), {0, 0}, kLow, kHigh).action;
            std::ranges::copy(drawn, std::back_inserter(next));
            for (const Vector& input : {now, next}) {
                double x = q.live.as<double>()[bias->offset + unit];
                for (std::size_t k = 0; k < inputs; ++k) {
                    x += q.live.as<double>()[weight->offset + unit * inputs + k] * input[k];
                }
                seen.push_back(x);
            }
        }
        for (const double x : seen) {
            out.mean[unit] += x / rows;
        }
        for (const double x : seen) {
            out.variance[unit] += (x - out.mean[unit]) * (x - out.mean[unit]) / (rows - 1);
        }
    }
    return out;
}

Vector state_of(const Network& network, const std::string& name) {
    const Parameter* const found = network.layout.find(name);
    REQUIRE(found != nullptr);
    CHECK_FALSE(found->trainable);
    const double* const first = network.live.as<double>() + found->offset;
    return {first, first + found->size};
}

}  // namespace

TEST_CASE("gradients of REDQ and CQL are those of central differences") {
    check_stages(plan_of("redq/redq", {}, 5), 3);
    check_stages(plan_of("redq/redq", {{"loss", std::string("l2")}, {"learn_alpha", false}}, 3), 2);
    check_stages(plan_of("cql/cql", {{"draws", std::int64_t{4}}}), 3);
    check_stages(plan_of("cql/cql", {{"lagrange", true}, {"lagrange_gap", 0.5}, {"entropy_in_target", true}}), 3);
    check_stages(plan_of("cql/cql", {{"best_of_draws", true}, {"clone_updates", std::int64_t{10}}}), 3);
    check_stages(plan_of("cql/cql", {{"lagrange", true}, {"learn_alpha", false}}), 3);
}

TEST_CASE("REDQ's target is the least of a subset that is drawn anew in each update") {
    const auto critic_loss = [](std::int64_t subset, const Vector& drawn) {
        Assembly assembly(plan_of("redq/redq", {{"subset", subset}}, 4));
        assembly.draws["redq/redq.update/subset"] = drawn;
        assembly.build();
        assembly.load();
        return assembly.run(sac_batch(assembly)).losses.at("critic.q");
    };
    const Vector first = {0.1, 0.9, 0.8, 0.7};
    const Vector second = {0.9, 0.1, 0.8, 0.7};
    const Vector both = {0.2, 0.1, 0.8, 0.7};
    CHECK(critic_loss(1, first) != critic_loss(1, second));
    CHECK(critic_loss(2, both) == critic_loss(2, {0.1, 0.3, 0.9, 0.5}));
    CHECK(critic_loss(2, both) != critic_loss(1, first));
    CHECK(critic_loss(4, first) == critic_loss(4, second));

    Assembly assembly(plan_of("redq/redq", {{"subset", std::int64_t{1}}}, 4));
    assembly.build();
    assembly.load();
    const FilledBatch batch = sac_batch(assembly);
    std::set<double> seen;
    for (std::uint64_t counter = 0; counter < 20; ++counter) {
        seen.insert(assembly.run(batch, {.counter = counter}).losses.at("critic.q"));
    }
    CHECK(seen.size() == 20);
}

TEST_CASE("CrossQ's critics learn as those of SAC whose targets are the critics themselves") {
    const Vector noise(22, 0.3);
    const auto run = [&](const std::string& objective, bool target) {
        Assembly assembly(plan_of(objective));
        const std::string stream = objective + ".update/actor.sample";
        assembly.draws[stream + "/random_normal"] = noise;
        assembly.draws[stream + "#1/random_normal"] = noise;
        assembly.build();
        Network& q = assembly.network("qvalue");
        if (target) {
            std::ranges::copy(std::span(q.live.as<double>(), q.layout.size), q.target.as<double>());
        }
        assembly.load();
        const Outcome outcome = assembly.run(sac_batch(assembly));
        return std::pair(outcome, numbers(q, q.gradient));
    };
    const auto [crossq, gradient] = run("crossq/crossq", false);
    const auto [sac, expected] = run("sac/sac", true);
    CHECK(crossq.losses.at("critic.q") == Catch::Approx(sac.losses.at("critic.q")).epsilon(1e-12));
    CHECK(crossq.losses.at("actor.gain") == Catch::Approx(sac.losses.at("actor.gain")).epsilon(1e-12));
    REQUIRE(gradient.size() == expected.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        CHECK(gradient[i] == Catch::Approx(expected[i]).epsilon(1e-10).margin(1e-13));
    }
}

TEST_CASE("a subset larger than its ensemble is an error of the wiring") {
    Assembly assembly(plan_of("redq/redq", {{"subset", std::int64_t{3}}}, 2));
    const Problems problems = assembly.try_build();
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].sentence,
               Catch::Matchers::ContainsSubstring("it takes the smallest 3 of 'qvalue', which is an ensemble of 2"));
    CHECK(problems[0].fault == Fault::kInput);
}

TEST_CASE("CrossQ moves the running moments once an update, by both batches together") {
    Plan plan = plan_of("crossq/crossq", {{"actor_every", std::int64_t{2}}});
    plan.networks[1].options = {{"hidden", std::vector<std::int64_t>{3}},
                                {"norm", std::string("batch_renorm")},
                                {"renorm_warm_up", std::int64_t{1}}};
    Assembly assembly(std::move(plan));
    assembly.draws["crossq/crossq.update/actor.sample/random_normal"] = Vector(22, 0.0);
    assembly.build();
    assembly.load();
    const Network& q = assembly.network("qvalue");
    const FilledBatch batch = sac_batch(assembly);
    CHECK(state_of(q, "norm0.running_mean") == Vector(6, 0.0));
    CHECK(state_of(q, "norm0.running_var") == Vector(6, 1.0));
    CHECK(state_of(q, "norm0.updates") == Vector(2, 0.0));
    assembly.run(batch);
    CHECK(state_of(q, "norm0.updates") == Vector(2, 1.0));
    const Vector mean = state_of(q, "norm0.running_mean");
    const Vector variance = state_of(q, "norm0.running_var");
    const Moments expected = moments_of_first_layer(assembly, batch);
    REQUIRE(mean.size() == expected.mean.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
        CHECK(mean[i] == Catch::Approx(0.01 * expected.mean[i]).epsilon(1e-10));
        CHECK(variance[i] == Catch::Approx(1 + 0.01 * (expected.variance[i] - 1)).epsilon(1e-10));
    }
}

}  // namespace soft_family_test
