// SPDX-License-Identifier: Apache-2.0
// Every key of the host's tables arrives in its struct and is written from there, so a new key needs no test of that.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/manifest/document_text.hpp"
#include "config/manifest/tables.hpp"
#include "config/manifest/write.hpp"
#include "written.hpp"

namespace every_key_test {

namespace {

// A manifest that has every table.
const std::string kTables = R"([run]
total_frames = 1000
[env]
plugin = "a/env"
[[env.tasks]]
[[env.wrappers]]
plugin = "a/wrapper"
[[env.transforms]]
plugin = "a/transform"
[policy.a]
plugin = "a/policy"
[policy.a.reference]
[exploration]
plugin = "a/exploration"
[parameter_noise]
[collector]
[buffer.b]
plugin = "a/sampler"
[[buffer.b.transforms]]
plugin = "a/transform"
[[objective]]
plugin = "a/objective"
name = "o"
[optimiser.s]
[[hooks]]
plugin = "a/hook"
[[eval.env]]
[[eval.env.tasks]]
[[eval.env.wrappers]]
plugin = "a/wrapper"
[[eval.env.transforms]]
plugin = "a/transform"
)";

// Where kTables has the table of a schema, if not at the schema's name.
const std::map<std::string, std::string> kPaths = {
    {"env.tasks", "env.tasks.0"},
    {"env.wrappers", "env.wrappers.0"},
    {"env.transforms", "env.transforms.0"},
    {"policy.NAME", "policy.a"},
    {"policy.NAME.reference", "policy.a.reference"},
    {"buffer", "buffer.b"},
    {"buffer.transforms", "buffer.b.transforms.0"},
    {"objective", "objective.0"},
    {"optimiser.STAGE", "optimiser.s"},
    {"hooks", "hooks.0"},
    {"eval.env", "eval.env.0"},
    {"eval.env.tasks", "eval.env.0.tasks.0"},
    {"eval.env.wrappers", "eval.env.0.wrappers.0"},
    {"eval.env.transforms", "eval.env.0.transforms.0"},
};

// Users choose the keys of these; they have tests of their own.
const std::set<std::string> kOfUsers = {"plugins.sha256", "columns", "schedule"};

// Keys that mean something only with another one.
const std::map<std::string, std::string> kNeeds = {
    {"buffer.path", "buffer.b.storage=mmap"},
    {"buffer.writer_by", "buffer.b.writer=keep_best"},
    {"buffer.transform_init", "buffer.b.init=kept.frames"},
    {"optimiser.alpha", "optimiser.kind=rmsprop"},
    {"optimiser.centered", "optimiser.kind=rmsprop"},
    {"optimiser.momentum", "optimiser.kind=sgd"},
    {"optimiser.dampening", "optimiser.kind=sgd"},
    {"optimiser.nesterov", "optimiser.kind=sgd"},
    {"optimiser.STAGE.alpha", "optimiser.s.kind=rmsprop"},
    {"optimiser.STAGE.centered", "optimiser.s.kind=rmsprop"},
    {"optimiser.STAGE.momentum", "optimiser.s.kind=sgd"},
    {"optimiser.STAGE.dampening", "optimiser.s.kind=sgd"},
    {"optimiser.STAGE.nesterov", "optimiser.s.kind=sgd"},
    {"target.tau", "target.kind=soft"},
    {"eval.every_updates", "train.total_updates=50"},
    {"log.every_updates", "train.total_updates=50"},
    {"checkpoint.every_updates", "train.total_updates=50"},
};

// Keys whose value decides which other keys are written, or what these are by default.
const std::set<std::string> kChangesOthers = {
    "env.plugin",           "env.isolation",       "eval.env.plugin", "eval.env.isolation", "optimiser.kind",
    "optimiser.STAGE.kind", "train.total_updates", "train.episodes",  "buffer.init",        "buffer.collects",
    "buffer.storage",       "buffer.writer",       "target.kind"};

// A valid value that is not the default.
tenon::OptionValue another(const tenon::OptionSchema& key) {
    const auto in_range = [&](auto number) {
        const auto range = tenon::parse_range(key.range);
        return (!range || range->contains(number)) && key.standard != tenon::OptionValue(number);
    };
    const auto other_choice =
        std::ranges::find_if(key.choices, [&](const auto& word) { return key.standard != tenon::OptionValue(word); });
    const std::string given = key.name == "plugin" ? "a/given" : "given";
    std::string word = other_choice != key.choices.end() ? *other_choice : given;
    switch (key.type) {
        case tenon::OptionType::kBool:
            return key.standard != tenon::OptionValue(true);
        case tenon::OptionType::kInt:
            return in_range(std::int64_t{7}) ? std::int64_t{7} : std::int64_t{1};
        case tenon::OptionType::kFloat:
            return in_range(0.25) ? 0.25 : 2.5;
        case tenon::OptionType::kStrings:
            return std::vector<std::string>{word};
        default:
            return word;
    }
}

std::map<std::string, std::string> resolved_values(const std::vector<std::string>& sets) {
    const Written read = written(kTables, sets);
    CHECK(read.manifest.refused.empty());
    return flatten(document_of(write_resolved(read.manifest, {})));
}

std::string text_of(const std::map<std::string, std::string>& values) {
    std::string out;
    for (const auto& [path, value] : values) {
        out += path + " = " + value + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("every key arrives in its struct and is written from there") {
    for (const tenon::TableSchema& schema : tenon::manifest_tables()) {
        if (kOfUsers.contains(schema.name)) {
            continue;
        }
        const auto path = kPaths.find(schema.name);
        for (const tenon::OptionSchema& key : schema.keys) {
            const std::string at = (path == kPaths.end() ? schema.name : path->second) + "." + key.name;
            CAPTURE(at);
            std::vector<std::string> sets;
            if (const auto needs = kNeeds.find(schema.name + "." + key.name); needs != kNeeds.end()) {
                sets.push_back(needs->second);
            }
            auto before = resolved_values(sets);
            if (before.contains(at) && key.standard) {
                CHECK(before.at(at) == to_toml(*key.standard));
            }
            const std::string value = to_toml(another(key));
            sets.push_back(at + "=" + value);
            auto after = resolved_values(sets);
            REQUIRE(after.contains(at));
            CHECK(after.at(at) == value);
            // and no other key has its member
            if (!kChangesOthers.contains(schema.name + "." + key.name)) {
                before.erase(at);
                after.erase(at);
                CHECK(text_of(after) == text_of(before));
            }
        }
    }
}

}  // namespace every_key_test
