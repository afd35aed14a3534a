// SPDX-License-Identifier: Apache-2.0
// Agents that come and go: a batch in which some are absent equals the batch of those rows in which they are present,
// and whoever ends by itself has advantages of its own.
#include <algorithm>
#include <cmath>
#include <string>

#include "actor_rig.hpp"
#include "support/catch.hpp"

namespace presence_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const Options kBodyOf6 = {{"hidden", std::vector<std::int64_t>{6}}};

// The same columns, one for each of so many agents.
Plan for_agents(Plan plan, std::int64_t agents) {
    for (graph::Column& column : plan.columns) {
        const bool next = column.spec.key.starts_with("next.");
        const std::string key = next ? column.spec.key.substr(5) : column.spec.key;
        if (key == "mask" || key == "weight" || (key == "done" && next)) {
            continue;  // those are of the row
        }
        column.spec.key = std::string(next ? "next." : "") + "agents." + key;
        column.spec.shape = join(Shape{agents}, column.spec.shape);
    }
    plan.columns.push_back(flag_column("agents.present", {agents}));
    plan.columns.push_back(flag_column("next.terminated"));
    plan.groups = {{"agents", agents}};
    plan.group = "agents";
    for (NetworkUse& use : plan.networks) {
        use.group = "agents";
    }
    return plan;
}

std::string key_of_one(const std::string& key) {
    const std::size_t at = key.find("agents.");
    return at == std::string::npos ? key : key.substr(0, at) + key.substr(at + 7);
}

Plan dqn(bool masked) {
    Plan out{
        .columns = {real_column("observation", {3}), categorical_column("action", 4),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "qvalue", .component = "mlp/q_value", .options = kBodyOf6}},
        .objective = "dqn/dqn",
        .options = {}};
    if (masked) {
        out.columns.push_back(flag_column("mask"));
        out.columns.push_back(bounded_column("weight", {0}, {2}));
        out.columns.back().spec.shape = {};
    }
    return out;
}

struct Case {
    std::string name;
    Plan plan;
    std::int64_t agents = 3;
};

// The deviation that normalises advantages is that of each agent, so there is one agent where it equals that of all.
std::vector<Case> cases() {
    return {{"ppo", actor_plan("ppo/ppo", {{"clip_value", 0.7}}), 3},
            {"ppo, normalised", actor_plan("ppo/ppo", {{"normalise_advantage", true}}), 1},
            {"a2c", actor_plan("a2c/a2c", {}), 3},
            {"dqn", dqn(false), 3},
            {"dqn, masked and weighted", dqn(true), 3}};
}

// The rows of a batch of agents in which they are present, one after the other.
FilledBatch of_those_present(const FilledBatch& of_agents, const std::vector<graph::Column>& grouped,
                             const std::vector<graph::Column>& plain, std::size_t agents) {
    const std::vector<double>& present = of_agents["agents.present"];
    FilledBatch out(plain, {.rows = std::ranges::count(present, 1.0)}, 1);
    for (const graph::Column& column : grouped) {
        const std::string& key = column.spec.key;
        const std::string own = key_of_one(key);
        const bool lacks = std::ranges::none_of(plain, [&](const graph::Column& c) { return c.spec.key == own; });
        if (lacks || (key == own && own == "next.terminated")) {
            continue;
        }
        const std::vector<double>& all = of_agents[key];
        const std::size_t width = all.size() / of_agents.rows() / (key == own ? 1 : agents);
        std::vector<double> values;
        for (std::size_t i = 0; i < present.size(); ++i) {
            const std::size_t from = (key == own ? i / agents : i) * width;
            if (present[i] == 1) {
                values.insert(values.end(), all.begin() + static_cast<std::ptrdiff_t>(from),
                              all.begin() + static_cast<std::ptrdiff_t>(from + width));
            }
        }
        out.set(own, values);
    }
    return out;
}

// Lanes go on, so that an end is the agent's own.
FilledBatch batch_of(const Assembly& assembly, std::int64_t rows) {
    FilledBatch out(assembly.columns(), {.rows = rows}, 31);
    out.set("next.terminated", std::vector<double>(out.rows()));
    return out;
}

std::vector<double> gradients_of(Assembly& assembly, const Plan& plan) {
    std::vector<double> out;
    for (const NetworkUse& use : plan.networks) {
        const Network& network = assembly.network(use.role);
        std::ranges::copy(numbers(network, network.gradient), std::back_inserter(out));
    }
    return out;
}

struct MixerCase {
    std::string name;
    Plan plan;
};

// Q-learning of three agents through a mixer of their group, or of all groups.
std::vector<MixerCase> mixers() {
    std::vector<MixerCase> out;
    for (const char* mixer : {"vdn", "qmix", "kinds"}) {
        Plan plan = for_agents(dqn(false), 3);
        for (graph::Column& column : plan.columns) {  // networks of no group see which columns are of one
            column.spec.group = column.spec.key.find("agents.") == std::string::npos ? "" : "agents";
        }
        plan.columns.push_back(real_column("state", {4}));
        plan.columns.push_back(real_column("next.state", {4}));
        plan.objective = "qmix/qmix";
        NetworkUse use{.role = "mixer", .component = std::string("mixer/") + mixer, .options = {}};
        if (use.component == "mixer/kinds") {
            use.options = {{"of", std::vector<std::string>{"agents"}}};
            plan.networks.front().role = "agents";
            plan.objective = "qmix/kinds";
            plan.options = {{"rewards", std::vector<std::string>{"agents.reward"}}};
            plan.group.clear();
        }
        plan.networks.push_back(use);
        out.push_back({use.component, plan});
    }
    return out;
}

}  // namespace

TEST_CASE("a batch with absent agents equals the one of the rows in which they are present") {
    for (const Case& each : cases()) {
        for (const bool compiled : {false, true}) {
            CAPTURE(each.name, compiled);
            Plan grouped = for_agents(each.plan, each.agents);
            grouped.compiled = compiled;
            Assembly with_absent(grouped);
            with_absent.build();
            with_absent.load();
            const FilledBatch all = batch_of(with_absent, 24);
            const auto present = std::ranges::count(all["agents.present"], 1.0);
            REQUIRE((present > 2 && present < 24 * each.agents - 2));
            Assembly without(each.plan);
            without.build();
            without.load();
            const FilledBatch some =
                of_those_present(all, with_absent.columns(), without.columns(), static_cast<std::size_t>(each.agents));
            const Outcome a = with_absent.run(all);
            const Outcome b = without.run(some);
            for (const auto& [name, loss] : b.losses) {
                CHECK(a.losses.at(name) == Catch::Approx(loss).epsilon(1e-12));
            }
            const std::vector<double> have = gradients_of(with_absent, each.plan);
            const std::vector<double> wanted = gradients_of(without, each.plan);
            REQUIRE(have.size() == wanted.size());
            for (std::size_t i = 0; i < have.size(); ++i) {
                CHECK(have[i] == Catch::Approx(wanted[i]).epsilon(1e-11).margin(1e-13));
            }
        }
    }
}

TEST_CASE("what stands in the rows of absent agents does not matter") {
    for (const Case& each : cases()) {
        CAPTURE(each.name);
        Assembly assembly(for_agents(each.plan, each.agents));
        assembly.build();
        assembly.load();
        FilledBatch batch = batch_of(assembly, 24);
        const Outcome clean = assembly.run(batch);
        const std::vector<double> gradient = gradients_of(assembly, each.plan);
        const std::vector<double> present = batch["agents.present"];
        for (const graph::Column& column : assembly.columns()) {
            if (column.spec.kind != SpecKind::kUnbounded || !column.spec.key.starts_with("agents.")) {
                continue;
            }
            std::vector<double> values = batch[column.spec.key];
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = present[i * present.size() / values.size()] == 0 ? 1e300 : values[i];
            }
            batch.set(column.spec.key, values);
        }
        const Outcome soiled = assembly.run(batch);
        CHECK(soiled.losses == clean.losses);
        CHECK(soiled.metrics == clean.metrics);
        CHECK(gradients_of(assembly, each.plan) == gradient);
    }
}

// The rows of absent agents have other numbers, choices and flags.
TEST_CASE("what stands in the rows of absent agents changes nothing that a mixer learns") {
    for (const MixerCase& each : mixers()) {
        for (const bool compiled : {false, true}) {
            CAPTURE(each.name, compiled);
            Plan plan = each.plan;
            plan.compiled = compiled;
            Assembly assembly(plan);
            assembly.build();
            assembly.load();
            FilledBatch batch = batch_of(assembly, 24);
            const Outcome clean = assembly.run(batch);
            const std::vector<double> gradient = gradients_of(assembly, plan);
            REQUIRE(std::ranges::any_of(gradient, [](double g) { return g != 0; }));
            for (const graph::Column& column : assembly.columns()) {
                const std::string& key = column.spec.key;
                const std::size_t at = key.find('.', key.starts_with("next.") ? 5 : 0);
                if (at == std::string::npos || key.ends_with(".present")) {
                    continue;
                }
                const std::size_t from = key.starts_with("next.") ? 5 : 0;
                const std::vector<double> present = batch[key.substr(from, at - from) + ".present"];
                std::vector<double> values = batch[key];
                for (std::size_t i = 0; i < values.size(); ++i) {
                    if (present[i * present.size() / values.size()] == 0) {
                        values[i] = column.spec.kind == SpecKind::kUnbounded     ? (i % 2 == 0 ? 1e300 : -1e300)
                                    : column.spec.kind == SpecKind::kCategorical ? 3 - values[i]
                                                                                 : 1 - values[i];
                    }
                }
                batch.set(key, values);
            }
            const Outcome soiled = assembly.run(batch);
            CHECK(soiled.losses == clean.losses);
            CHECK(soiled.metrics == clean.metrics);
            CHECK(gradients_of(assembly, plan) == gradient);
        }
    }
}

TEST_CASE("losses and gradients are zero where nobody is present") {
    Assembly assembly(for_agents(actor_plan("ppo/ppo", {{"normalise_advantage", true}}), 3));
    assembly.build();
    assembly.load();
    FilledBatch batch = batch_of(assembly, 8);
    batch.set("agents.present", std::vector<double>(24));
    for (const auto& [name, loss] : assembly.run(batch).losses) {
        CAPTURE(name);
        CHECK(loss == 0);
    }
    CHECK(std::ranges::all_of(gradients_of(assembly, actor_plan("ppo/ppo", {})), [](double g) { return g == 0; }));
}

TEST_CASE("each agent has the advantages of its own rewards and ends") {
    constexpr std::size_t kTime = 12, kLanes = 3, kAgents = 3;
    constexpr double kGamma = 0.9, kLambda = 0.8;
    Plan plan = for_agents(actor_plan("ppo/ppo", {{"gamma", kGamma}, {"lambda", kLambda}}), kAgents);
    std::erase_if(plan.columns, [](const graph::Column& column) {
        return column.spec.key == "agents.advantage" || column.spec.key == "agents.value_target";
    });
    plan.columns.push_back(flag_column("next.agents.present", {kAgents}));
    Assembly assembly(plan);
    FilledBatch batch(assembly.columns(), {.time = kTime, .lanes = kLanes}, 5);
    const auto at = [](std::size_t t, std::size_t lane) { return t * kLanes + lane; };
    std::vector<double> done = batch["next.done"], present = batch["agents.present"];
    std::vector<double> next_present = batch["next.agents.present"];
    for (double& flag : present) {
        flag = 1 - flag;  // seven times in ten
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
        done[i] = std::max(done[i], batch["next.terminated"][i]);
        for (std::size_t k = 0; k < kAgents && done[i] == 0 && i + kLanes < done.size(); ++k) {
            next_present[i * kAgents + k] = present[(i + kLanes) * kAgents + k];
        }
    }
    batch.set("next.done", done);
    batch.set("agents.present", present);
    batch.set("next.agents.present", next_present);
    const Columns prepared = assembly.forward("prepare", batch);
    const Network& value = assembly.network("value");
    const auto seen = [&](const char* key, std::size_t row, std::size_t agent) {
        const Vector all = batch.row(key, row);
        return Vector(all.begin() + static_cast<std::ptrdiff_t>(3 * agent),
                      all.begin() + static_cast<std::ptrdiff_t>(3 * agent + 3));
    };
    int own_ends = 0, departures = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t agent = 0; agent < kAgents; ++agent) {
            double advantage = 0;
            for (std::size_t t = kTime; t-- > 0;) {
                const std::size_t row = at(t, lane), i = row * kAgents + agent;
                if (present[i] == 0) {
                    advantage = 0;
                    continue;
                }
                const bool own = batch["next.agents.terminated"][i] == 1;
                const bool ends = own || batch["next.terminated"][row] == 1;
                const bool last = ends || done[row] == 1 || next_present[i] == 0;
                own_ends += own && done[row] == 0 ? 1 : 0;
                departures += last && !ends && done[row] == 0 ? 1 : 0;
                const double v = mlp(value, value.live, seen("agents.observation", row, agent))[0];
                const double next_value = mlp(value, value.live, seen("next.agents.observation", row, agent))[0];
                const double delta = batch["next.agents.reward"][i] + (ends ? 0 : kGamma * next_value) - v;
                advantage = delta + (last ? 0 : kGamma * kLambda * advantage);
                CHECK(prepared.at("agents.advantage")[i] == Catch::Approx(advantage).epsilon(1e-12));
                CHECK(prepared.at("agents.value_target")[i] == Catch::Approx(advantage + v).epsilon(1e-12));
            }
        }
    }
    CHECK(own_ends > 3);
    CHECK(departures > 3);
}

}  // namespace presence_test
