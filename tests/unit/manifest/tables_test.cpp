// SPDX-License-Identifier: Apache-2.0
// A right manifest: what is read, what the defaults are, and that the schemas are sound.
#include "config/manifest/tables.hpp"

#include <string>

#include "config/manifest/write.hpp"
#include "written.hpp"

namespace tables_test {

namespace {

// A manifest with every kind of table; every_key_test.cpp is about their keys.
const std::string kEverything = R"([run]
name = "full"
total_frames = 50_000
[plugins]
search = ["here", "there"]
isolation = "process"
[plugins.sha256]
classic = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"
[env]
plugin = "classic/CartPole-v1"
isolation = "inproc"
lanes = 8
gravity = 9.8
[[env.wrappers]]
plugin = "wrap/limit"
[[env.wrappers]]
plugin = "wrap/skip"
steps = 4
[[env.transforms]]
plugin = "obs/normalise"
isolation = "process"
clip = 10
[[env.transforms]]
plugin = "obs/stack"
[policy.actor]
plugin = "mlp/q_value"
isolation = "inproc"
count = 2
hidden = [64, 64]
[policy.actor.reference]
every = 7
[policy.trunk]
plugin = "mlp/trunk"
[exploration]
plugin = "explore/epsilon"
epsilon = 0.1
[collector]
lag = 4
[parameter_noise]
sigma = 0.2
[train]
updates_per_batch = 16
[buffer]
plugin = "replay/uniform"
capacity = 5000
[[buffer.transforms]]
plugin = "reward/clip"
high = 3
[objective]
plugin = "dqn/dqn"
double = true
[optimiser]
kind = "adam"
lr = 1e-3
beta1 = 0.8
[optimiser.critic]
lr = 2e-3
[[hooks]]
plugin = "watch/watch"
name = "first"
patience = 3
[[hooks]]
plugin = "watch/other"
[schedule]
"exploration.epsilon" = { from = 1.0, to = 0.04, fraction = 0.16 }
[eval]
lanes = 4
[[eval.env]]
name = "hard"
lanes = 2
gravity = 20.0
wrappers = []
transforms = []
[[eval.env]]
[[eval.env]]
plugin = "classic/Acrobot-v1"
name = "other"
[[eval.env.wrappers]]
plugin = "wrap/skip"
[[eval.env.transforms]]
plugin = "obs/stack"
isolation = "process"
)";

}  // namespace

TEST_CASE("every table arrives in its struct") {
    const Written seen = written(kEverything);
    CHECK(seen.problems == std::vector<std::string>{});
    const tenon::Manifest& m = seen.manifest;
    CHECK(m.run.name == "full");
    CHECK(m.run.total_frames == 50000);
    CHECK(m.plugins.search == std::vector<std::string>{"here", "there"});
    REQUIRE(m.plugins.sha256.size() == 1);
    CHECK(m.plugins.sha256[0].library == "classic");
    CHECK(m.plugins.sha256[0].sha256 == "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    CHECK(m.env.component.ref.plugin == "classic/CartPole-v1");
    CHECK(m.env.lanes == 8);
    CHECK(m.plugins.isolation == "process");
    CHECK(m.env.component.isolation == "inproc");
    CHECK(m.env.transforms[0].isolation == "process");
    CHECK_FALSE(m.env.transforms[1].isolation);
    CHECK(m.policies[0].component.isolation == "inproc");
    CHECK(m.eval.envs[0].component.isolation == "inproc");  // as in [env]
    REQUIRE(m.env.component.options.size() == 1);
    CHECK(m.env.component.options[0].name == "gravity");
    REQUIRE(m.env.wrappers.size() == 2);
    CHECK(m.env.wrappers[0].ref.plugin == "wrap/limit");
    CHECK(m.env.wrappers[1].path == "env.wrappers.1");
    CHECK(m.env.wrappers[1].options[0].name == "steps");
    REQUIRE(m.env.transforms.size() == 2);
    CHECK(m.env.transforms[0].path == "env.transforms.0");
    CHECK(m.env.transforms[0].options[0].name == "clip");
    CHECK(m.env.transforms[1].ref.plugin == "obs/stack");
    REQUIRE(m.policies.size() == 2);
    CHECK(m.policies[0].name == "actor");
    CHECK(m.policies[0].count == 2);
    REQUIRE(m.policies[0].reference.has_value());
    CHECK(m.policies[0].reference->every == 7);
    CHECK_FALSE(m.policies[1].reference.has_value());
    CHECK(m.policies[0].component.options[0].name == "hidden");
    CHECK(m.policies[1].component.path == "policy.trunk");
    REQUIRE(m.explorations.size() == 1);
    CHECK(m.explorations.front().group.empty());
    CHECK(m.explorations.front().component.ref.plugin == "explore/epsilon");
    REQUIRE(m.collector.has_value());
    CHECK(m.collector->lag == 4);
    REQUIRE(m.parameter_noise.has_value());
    CHECK(m.parameter_noise->sigma == 0.2);
    CHECK(m.train.updates_per_batch == 16);
    CHECK_FALSE(m.train.updates_per_frame);
    CHECK(m.buffers.at(0).capacity.frames == 5000);
    CHECK(m.buffers.at(0).writer == "ring");
    REQUIRE(m.buffers[0].transforms.size() == 1);
    CHECK(m.buffers[0].transforms[0].path == "buffer.transforms.0");
    CHECK(m.buffers[0].transforms[0].ref.plugin == "reward/clip");
    CHECK(m.buffers[0].transforms[0].options[0].name == "high");
    REQUIRE(m.objectives.size() == 1);
    CHECK(m.objectives[0].component.path == "objective");
    CHECK(m.optimiser.lr == 1e-3);
    REQUIRE(m.optimiser_stages.size() == 1);
    CHECK(m.optimiser_stages[0].name == "critic");
    CHECK(m.optimiser_stages[0].table.lr == 2e-3);
    CHECK(m.optimiser.beta1 == 0.8);
    CHECK_FALSE(m.optimiser_stages[0].table.beta1);  // as in [optimiser]
    CHECK(m.schedules.size() == 1);
    REQUIRE(m.hooks.size() == 2);
    CHECK(m.hooks[0].component.path == "hooks.0");
    CHECK(m.hooks[0].component.options.size() == 1);
    CHECK(m.hooks[0].name == "first");
    CHECK_FALSE(m.hooks[1].name.has_value());
    CHECK(m.eval.lanes == 4);
    REQUIRE(m.eval.envs.size() == 3);
    CHECK(m.eval.envs[0].name == "hard");
    CHECK(m.eval.envs[0].lanes == 2);
    CHECK(m.eval.envs[0].component.ref.plugin == "classic/CartPole-v1");
    CHECK(m.eval.envs[0].component.path == "eval.env.0");
    CHECK(m.eval.envs[0].component.options[0].name == "gravity");
    CHECK((m.eval.envs[0].own_transforms && m.eval.envs[0].transforms.empty()));
    CHECK_FALSE(m.eval.envs[1].name);
    CHECK(m.eval.envs[1].component.ref.plugin == "classic/CartPole-v1");
    CHECK_FALSE(m.eval.envs[1].own_transforms);
    CHECK((m.eval.envs[0].own_wrappers && m.eval.envs[0].wrappers.empty()));
    CHECK_FALSE(m.eval.envs[1].own_wrappers);
    REQUIRE(m.eval.envs[2].wrappers.size() == 1);
    CHECK(m.eval.envs[2].wrappers[0].path == "eval.env.2.wrappers.0");
    CHECK(m.eval.envs[2].component.ref.plugin == "classic/Acrobot-v1");
    REQUIRE(m.eval.envs[2].transforms.size() == 1);
    CHECK(m.eval.envs[2].transforms[0].path == "eval.env.2.transforms.0");
}

TEST_CASE("what is not given has its default") {
    const Written seen = written(kLeast);
    CHECK(seen.problems == std::vector<std::string>{});
    const tenon::Manifest& m = seen.manifest;
    CHECK(m.run.executor == "auto");
    CHECK_FALSE(m.run.stop_at_return);
    CHECK(m.explorations.empty());
    CHECK(m.buffers.empty());
    CHECK(m.objectives.empty());
    CHECK(m.optimiser.lr == 3e-4);
    CHECK_FALSE(m.target.every);
    CHECK_FALSE(m.eval.seed);
}

TEST_CASE("several objectives have numbers in their paths") {
    const Written seen = written(kLeast + "[[objective]]\nplugin = \"a/b\"\n[[objective]]\nplugin = \"a/c\"\n");
    REQUIRE(seen.manifest.objectives.size() == 2);
    CHECK(seen.manifest.objectives[1].component.path == "objective.1");
    CHECK(seen.manifest.objectives[1].component.place.line == 9);
}

TEST_CASE("an exploration of each group is a table of its own") {
    const Written seen = written(kLeast +
                                 "[exploration.prey]\nplugin = \"a/b\"\nk = 1\n[exploration.hunters]\n"
                                 "plugin = \"a/c\"\n");
    CHECK(seen.problems.empty());
    REQUIRE(seen.manifest.explorations.size() == 2);
    CHECK(seen.manifest.explorations[0].group == "prey");
    CHECK(seen.manifest.explorations[0].component.path == "exploration.prey");
    CHECK(seen.manifest.explorations[0].component.options.size() == 1);
    CHECK(seen.manifest.explorations[1].group == "hunters");
}

TEST_CASE("a value that was not given is looked for at its table, then at the file") {
    const tenon::Manifest m = written(kLeast).manifest;
    CHECK(place_of(m, "env.plugin").line == 6);
    CHECK(place_of(m, "env.lanes").line == 5);
    CHECK(place_of(m, "policy.a.hidden").line == 3);
    CHECK(place_of(m, "train.batch").line == 0);
    CHECK(place_of(m, "train.batch").file == "m.toml");
}

TEST_CASE("a capacity is frames or bytes") {
    const auto capacity = [](const std::string& value) {
        const Written seen = written(kLeast + "[buffer]\nplugin = \"r/u\"\ncapacity = " + value + "\n");
        CHECK(seen.problems.empty());
        CHECK(write_resolved(seen.manifest, {}).find("\n[buffer]\nplugin = \"r/u\"\ncapacity = " + value + "\n") !=
              std::string::npos);
        return seen.manifest.buffers.at(0).capacity;
    };
    CHECK(capacity("300").frames == 300);
    CHECK(capacity("300").bytes == 0);
    CHECK(capacity("\"2 GB\"").frames == 0);
    CHECK(capacity("\"2 GB\"").bytes == 2'000'000'000);
}

TEST_CASE("a path of a buffer in memory is read, but not written") {
    const Written seen = written(kLeast + "[buffer]\nplugin = \"r/u\"\npath = \"ring\"\n");
    CHECK(seen.manifest.buffers.at(0).path == "ring");
    CHECK(write_resolved(seen.manifest, {}).find("path = ") == std::string::npos);
}

// A key that the schema has and the struct has not, or the other way round, would be lost on the way.
TEST_CASE("the schema of every key is sound") {
    for (const tenon::TableSchema& table : tenon::manifest_tables()) {
        for (const tenon::OptionSchema& key : table.keys) {
            CAPTURE(table.name, key.name);
            const bool is_number = key.type == tenon::OptionType::kInt || key.type == tenon::OptionType::kFloat;
            CHECK(tenon::parse_range(key.range).has_value() == is_number);
            CHECK_FALSE(key.help.empty());
            CHECK_FALSE((key.standard && key.optional));
            if (key.standard) {
                CHECK(conform(key, *key.standard, key.name));
            }
        }
    }
}

}  // namespace tables_test
