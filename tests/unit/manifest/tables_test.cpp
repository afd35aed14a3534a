// SPDX-License-Identifier: Apache-2.0
// A right manifest: what is read, what the defaults are, and that the schema and the structs agree.
#include "config/manifest/tables.hpp"

#include <string>

#include "config/manifest/write.hpp"
#include "written.hpp"

namespace tables_test {

namespace {

const std::string kEverything = R"([run]
name = "full"
seed = 9007199254740992
device = "cpu"
learn_on = "device"
jit = "off"
threads = 2
dtype = "float64"
executor = "reference"
total_frames = 50_000
stop_at_return = 475
stop_at_episodes = 800
[plugins]
search = ["here", "there"]
isolation = "process"
[plugins.sha256]
classic = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"
[isolation]
workers = 3
time_limit = 1.5
restarts = 2
memory = 500
processor = 60
network = false
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
init = "start.safetensors"
init_role = "expert"
freeze = true
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
max_lag = 8
ready = 3
workers = 2
record = "kept.frames"
[parameter_noise]
sigma = 0.2
target = 0.3
factor = 1.05
every_frames = 400
[train]
batch = 512
minibatch = 32
accumulate = 2
burn_in = 4
initial_memory = "zero"
epochs = 3
shuffle = "slices"
slice_length = 8
prepare = "epoch"
updates_per_batch = 16
start_frames = 1000
clip_norm = 10
[buffer]
plugin = "replay/uniform"
capacity = 5000
storage = "mmap"
path = "ring"
prefetch = true
relabel_by = "env"
init = "start.frames"
transform_init = true
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
[target]
kind = "soft"
tau = 0.5
every = 1
[[hooks]]
plugin = "watch/watch"
name = "first"
patience = 3
[[hooks]]
plugin = "watch/other"
[schedule]
"exploration.epsilon" = { from = 1.0, to = 0.04, fraction = 0.16 }
[eval]
every_frames = 5000
episodes = 20
max_steps = 900
patience = 6
seed = 3
lanes = 4
returns = "reward"
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
[log]
every_frames = 500
[checkpoint]
every_frames = 10000
keep = 1
best = 4
buffer = false
[validate]
allow = ["horizon", "truncation"]
)";

}  // namespace

TEST_CASE("every table arrives in its struct") {
    const Written seen = written(kEverything);
    CHECK(seen.problems == std::vector<std::string>{});
    const tenon::Manifest& m = seen.manifest;
    CHECK(m.run.name == "full");
    CHECK(m.run.seed == 9007199254740992);
    CHECK(m.run.total_frames == 50000);
    CHECK(m.run.jit == "off");
    CHECK(m.run.stop_at_return == 475.0);
    CHECK(m.run.stop_at_episodes == 800);
    CHECK(m.plugins.search == std::vector<std::string>{"here", "there"});
    REQUIRE(m.plugins.sha256.size() == 1);
    CHECK(m.plugins.sha256[0].library == "classic");
    CHECK(m.plugins.sha256[0].sha256 == "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    CHECK(m.env.component.ref.plugin == "classic/CartPole-v1");
    CHECK(m.env.lanes == 8);
    CHECK(m.plugins.isolation == "process");
    CHECK(m.isolation.workers == 3);
    CHECK(m.isolation.time_limit == 1.5);
    CHECK(m.isolation.restarts == 2);
    CHECK(m.isolation.memory == 500);
    CHECK(m.isolation.processor == 60);
    CHECK_FALSE(m.isolation.network);
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
    CHECK(m.policies[0].freeze);
    REQUIRE(m.policies[0].reference.has_value());
    CHECK(m.policies[0].reference->every == 7);
    CHECK_FALSE(m.policies[1].reference.has_value());
    CHECK(m.policies[0].component.options[0].name == "hidden");
    CHECK(m.policies[1].component.path == "policy.trunk");
    REQUIRE(m.explorations.size() == 1);
    CHECK(m.explorations.front().group.empty());
    CHECK(m.explorations.front().component.ref.plugin == "explore/epsilon");
    CHECK(m.train.accumulate == 2);
    CHECK(m.train.burn_in == 4);
    CHECK(m.train.initial_memory == "zero");
    REQUIRE(m.collector.has_value());
    CHECK(m.collector->lag == 4);
    CHECK(m.collector->max_lag == 8);
    CHECK(m.collector->ready == 3);
    CHECK(m.collector->workers == 2);
    CHECK(m.collector->record == "kept.frames");
    REQUIRE(m.parameter_noise.has_value());
    CHECK(m.parameter_noise->sigma == 0.2);
    CHECK(m.parameter_noise->target == 0.3);
    CHECK(m.parameter_noise->factor == 1.05);
    CHECK(m.parameter_noise->every_frames == 400);
    CHECK(m.train.epochs == 3);
    CHECK(m.train.shuffle == "slices");
    CHECK(m.train.slice_length == 8);
    CHECK(m.train.prepare == "epoch");
    CHECK(m.train.updates_per_batch == 16);
    CHECK_FALSE(m.train.updates_per_frame);
    CHECK(m.train.clip_norm == 10.0);
    CHECK(m.buffers.at(0).capacity.frames == 5000);
    CHECK(m.buffers.at(0).storage == "mmap");
    CHECK(m.buffers.at(0).path == "ring");
    CHECK(m.buffers.at(0).writer == "ring");
    CHECK(m.buffers.at(0).prefetch == true);
    CHECK(m.buffers.at(0).relabel_by == "env");
    CHECK(m.buffers.at(0).init == "start.frames");
    CHECK(m.buffers.at(0).transform_init);
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
    CHECK(m.target.kind == "soft");
    CHECK(m.schedules.size() == 1);
    REQUIRE(m.hooks.size() == 2);
    CHECK(m.hooks[0].component.path == "hooks.0");
    CHECK(m.hooks[0].component.options.size() == 1);
    CHECK(m.hooks[0].name == "first");
    CHECK_FALSE(m.hooks[1].name.has_value());
    CHECK(m.eval.lanes == 4);
    CHECK(m.eval.max_steps == 900);
    CHECK(m.eval.patience == 6);
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
    CHECK(m.log.every_frames == 500);
    CHECK_FALSE(m.checkpoint.buffer);
    CHECK(m.validate.allow == std::vector<std::string>{"horizon", "truncation"});
}

TEST_CASE("what is not given has its default") {
    const Written seen = written(kLeast);
    CHECK(seen.problems == std::vector<std::string>{});
    const tenon::Manifest& m = seen.manifest;
    CHECK(m.run.dtype == "float32");
    CHECK(m.run.executor == "auto");
    CHECK(m.run.threads == 1);
    CHECK_FALSE(m.run.stop_at_return);
    CHECK_FALSE(m.run.stop_at_episodes);
    CHECK(m.env.lanes == 1);
    CHECK(m.policies[0].count == 1);
    CHECK(m.explorations.empty());
    CHECK(m.buffers.empty());
    CHECK(m.objectives.empty());
    CHECK(m.train.batch == 256);
    CHECK(m.optimiser.lr == 3e-4);
    CHECK_FALSE(m.target.every);
    CHECK(m.eval.every_frames == 0);
    CHECK(!m.eval.max_steps);
    CHECK(m.eval.patience == 0);
    CHECK_FALSE(m.eval.seed);
    CHECK(m.log.every_frames == 1000);
    CHECK(m.checkpoint.keep == 3);
    CHECK(m.checkpoint.buffer);
    CHECK(m.validate.allow.empty());
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
        CHECK(write_resolved(seen.manifest, {}).find("\ncapacity = " + value + "\n") != std::string::npos);
        return seen.manifest.buffers.at(0).capacity;
    };
    CHECK(capacity("300").frames == 300);
    CHECK(capacity("300").bytes == 0);
    CHECK(capacity("\"2 GB\"").frames == 0);
    CHECK(capacity("\"2 GB\"").bytes == 2'000'000'000);
}

// A key that the schema has and the struct has not, or the other way round, would be lost on the way.
TEST_CASE("every key of every table is read and written") {
    std::string text;
    const std::string stages =
        "[optimiser.critic]\nkind = \"sgd\"\nweight_decay = 1\nmomentum = 1\ndampening = 1\nnesterov = false\n"
        "clip_norm = 1\n[optimiser.actor]\nkind = \"rmsprop\"\nalpha = 0\ncentered = true\neps = 1\n"
        "[optimiser.other]\nlr = 1\nbeta1 = 0\nbeta2 = 0\n";
    const std::string only_learns =
        "[policy.a]\nplugin = \"mlp/q_value\"\n[env]\nplugin = \"classic/CartPole-v1\"\n[objective]\nplugin = "
        "\"dqn/dqn\"\n[buffer]\nplugin = \"replay/uniform\"\ninit = \"runs/a\"\n[train]\ntotal_updates = 9\n";
    const std::string tasks =
        "lanes = 5\ntask_column = \"task\"\n[[env.tasks]]\nisolation = \"process\"\nlanes = 2\n[[env.tasks]]\n"
        "[eval.env]\n[[eval.env.tasks]]\nisolation = \"process\"\n";
    const std::string several =
        "[buffer.x]\nplugin = \"r/u\"\nwriter = \"keep_best\"\nwriter_by = \"score\"\n[policy.b]\nplugin = "
        "\"m/m\"\ngroup = \"x\"\n[[objective]]\nplugin = "
        "\"d/d\"\ngroup = \"x\"\nname = \"p\"\nbuffer = \"x\"\nminibatch = 8\n"
        "epochs = 2\nupdates_per_batch = 3\n[[objective]]\nplugin = \"d/d\"\nname = \"q\"\nupdates_per_frame = 0.5\n";
    for (const std::string& written_text :
         {kEverything, only_learns, kLeast + tasks, kLeast + several, kLeast + "[optimiser]\nkind = \"sgd\"\n",
          kLeast + "[optimiser]\nkind = \"rmsprop\"\n", kLeast + stages, kLeast + "[train]\nepisodes = 4\n"}) {
        const Written seen = written(written_text);
        CHECK(seen.problems == std::vector<std::string>{});
        text += write_resolved(seen.manifest, {});
    }
    for (const tenon::TableSchema& table : tenon::manifest_tables()) {
        if (table.name == "schedule" || table.name == "columns") {
            continue;  // their keys stand in inline tables
        }
        std::string heading = table.heading.substr(0, table.heading.find(' '));
        heading = table.name == "objective" ? "[[objective]]" : table.name == "buffer" ? "[buffer" : heading;
        heading = table.name == "policy.NAME"             ? "[policy."
                  : table.name == "policy.NAME.reference" ? "[policy.actor.reference]"
                  : table.name == "optimiser.STAGE"       ? "[optimiser."
                  : table.name == "eval.env"              ? "[[eval.env]]\n"
                  : table.name == "buffer"                ? heading
                                                          : heading + "\n";
        std::string body;
        for (std::size_t at = 0; (at = text.find("\n" + heading, at)) != std::string::npos; ++at) {
            body += text.substr(at, text.find("\n\n", at + 1) - at) + "\n";
        }
        CAPTURE(table.name);
        for (const tenon::OptionSchema& key : table.keys) {
            CAPTURE(key.name);
            const bool excluded =
                table.name == "train" && key.name == "updates_per_frame";  // excludes updates_per_batch
            CHECK((body.find("\n" + key.name + " = ") == std::string::npos) == excluded);
        }
    }
}

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
