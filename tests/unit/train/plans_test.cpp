// SPDX-License-Identifier: Apache-2.0
// [optimiser], its stages and [target] as plans.
#include "train/plan/plans.hpp"

#include <string>
#include <variant>

#include "manifest_of.hpp"

namespace plans_test {

using namespace tenon;

namespace {

using test::manifest_of;

struct Wired {
    explicit Wired(const std::string& text) : manifest(manifest_of(text)) {}

    OptimiserPlan optimiser(const std::string& stage) { return add_optimiser(live, manifest, "", stage); }
    double value(std::uint32_t index) { return live.values.at(index); }
    const std::string& name(std::uint32_t index) { return live.names.at(index); }

    Manifest manifest;
    LivePlan live;
};

TEST_CASE("each kind becomes its rule") {
    Wired adam("[optimiser]\nlr = 0.1\n[train]\nclip_norm = 3\n");
    const OptimiserPlan plan = adam.optimiser("update");
    const auto& rule = std::get<AdamPlan>(plan.rule);
    CHECK(plan.clip_norm == 3);
    CHECK(adam.name(rule.lr) == "optimiser.lr");
    CHECK(adam.value(rule.lr) == 0.1);
    CHECK(adam.value(rule.beta2) == 0.999);
    CHECK(adam.value(rule.weight_decay) == 0);
    CHECK_FALSE(rule.decoupled);
    CHECK(std::get<AdamPlan>(Wired("[optimiser]\nkind = \"adamw\"\n").optimiser("x").rule).decoupled);
    Wired lamb("[optimiser]\nkind = \"lamb\"\nbeta2 = 0.5\n");
    const auto of_lamb = std::get<LambPlan>(lamb.optimiser("x").rule);
    CHECK((lamb.value(of_lamb.eps) == 1e-6 && lamb.value(of_lamb.beta2) == 0.5));
    const auto sgd =
        std::get<SgdPlan>(Wired("[optimiser]\nkind = \"sgd\"\nmomentum = 0.9\nnesterov = true\n").optimiser("x").rule);
    CHECK((sgd.nesterov && sgd.keeps_momentum));
    const auto rmsprop =
        std::get<RmspropPlan>(Wired("[optimiser]\nkind = \"rmsprop\"\ncentered = true\n").optimiser("x").rule);
    CHECK((rmsprop.centered && !rmsprop.keeps_momentum));
}

TEST_CASE("momentum that a schedule moves is kept although it begins at 0") {
    Wired wired("[optimiser]\nkind = \"sgd\"\n[schedule]\noptimiser.momentum = { from = 0, to = 0.9 }\n");
    CHECK(std::get<SgdPlan>(wired.optimiser("x").rule).keeps_momentum);
}

TEST_CASE("stages have their own optimisers, and share what they have from [optimiser]") {
    Wired wired(
        "[optimiser]\nlr = 0.1\n[optimiser.critic]\nkind = \"rmsprop\"\nclip_norm = 5\n[optimiser.actor]\nlr = 0.2\n"
        "[train]\nclip_norm = 3\n[schedule]\noptimiser.lr = { to = 0 }\noptimiser.actor.eps = { to = 1e-3 }\n");
    const OptimiserPlan critic = wired.optimiser("critic");
    const OptimiserPlan actor = wired.optimiser("actor");
    const OptimiserPlan other = wired.optimiser("temperature");
    const auto& of_critic = std::get<RmspropPlan>(critic.rule);
    const auto& of_actor = std::get<AdamPlan>(actor.rule);
    const auto& of_other = std::get<AdamPlan>(other.rule);
    CHECK(critic.clip_norm == 5);
    CHECK(actor.clip_norm == 3);
    CHECK(wired.name(of_critic.lr) == "optimiser.lr");
    CHECK(of_critic.lr == of_other.lr);
    CHECK(wired.name(of_critic.alpha) == "optimiser.critic.alpha");
    CHECK(wired.name(of_actor.lr) == "optimiser.actor.lr");
    CHECK(wired.value(of_actor.lr) == 0.2);
    CHECK(wired.name(of_actor.eps) == "optimiser.actor.eps");
    CHECK(of_actor.beta1 == of_other.beta1);
    REQUIRE(wired.live.schedules.size() == 2);
    apply(wired.live.schedules, 500, 0, wired.live.values);
    CHECK(wired.value(of_critic.lr) == 0.05);
    CHECK(wired.value(of_actor.lr) == 0.2);
    CHECK(wired.value(of_actor.eps) == Catch::Approx(5e-4).epsilon(1e-4));
}

TEST_CASE("a soft target's fraction may move, a hard target has none") {
    Wired soft("[target]\nkind = \"soft\"\n[schedule]\ntarget.tau = { from = 1, to = 0.5 }\n");
    const TargetPlan plan = add_target(soft.live, soft.manifest);
    CHECK(plan.soft);
    CHECK(plan.every == 1);
    CHECK(soft.name(plan.tau) == "target.tau");
    Wired hard("");
    CHECK(add_target(hard.live, hard.manifest).every == 1000);
    CHECK(hard.live.names.empty());
}

TEST_CASE("schedules of the manifest's own options are in range") {
    const Manifest manifest = manifest_of(
        "[target]\nkind = \"soft\"\n[optimiser.critic]\nlr = 1\n[schedule]\ntarget.tau = { from = 0.5, to = 0 }\n"
        "optimiser.eps = { to = 0 }\noptimiser.critic.lr = { from = -1, to = 0 }\noptimiser.beta1 = { to = 0.5 }\n");
    Problems problems;
    for (const ScheduleTable& schedule : manifest.schedules) {
        check_host_schedule(manifest, schedule, problems);
    }
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].sentence == "schedule.target.tau goes to 0.0, outside (0,1]");
    CHECK(problems[1].sentence == "schedule.optimiser.eps goes to 0.0, outside (0,inf)");
    CHECK(problems[2].sentence == "schedule.optimiser.critic.lr begins at -1.0, outside [0,inf)");
}

}  // namespace
}  // namespace plans_test
