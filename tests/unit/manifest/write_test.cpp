// SPDX-License-Identifier: Apache-2.0
// The resolved manifest: readable as it stands, and the same again when it is read.
#include "config/manifest/write.hpp"

#include <bit>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/manifest/document_text.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/tables.hpp"
#include "written.hpp"

namespace write_test {

using tenon::OptionSchema;
using tenon::OptionType;
using tenon::OptionValue;

namespace {

std::string random_text(std::mt19937_64& random) {
    const std::vector<std::string> pieces = {
        "a", "\"", "\\", "\n",   "\r\n", "\t", "'",        "'''",          "\"\"\"",
        "#", "=",  "{",  "\x01", "\x7f", " ",  "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82",
        "[", "]",  "."};
    std::string out;
    for (std::size_t i = random() % 12; i > 0; --i) {
        out += pieces[random() % pieces.size()];
    }
    return out;
}

double random_float(std::mt19937_64& random) {
    const std::vector<double> awkward = {0.1,
                                         -0.0,
                                         1,
                                         1e15,
                                         1e16,
                                         1e22,
                                         1e-5,
                                         5e-324,
                                         1.7976931348623157e308,
                                         3e-4,
                                         1.0 / 3,
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity()};
    if (random() % 2 == 0) {
        return awkward[random() % awkward.size()];
    }
    const double any = std::bit_cast<double>(random());
    return any == any ? any : 0.5;
}

OptionValue random_value(std::mt19937_64& random) {
    const std::size_t count = random() % 4;
    switch (random() % 7) {
        case 0:
            return random() % 2 == 0;
        case 1:
            return static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
        case 2:
            return random_float(random);
        case 3:
            return random_text(random);
        case 4: {
            std::vector<std::int64_t> list(count);
            for (std::int64_t& x : list) {
                x = static_cast<std::int64_t>(random());
            }
            return list;
        }
        case 5: {
            std::vector<double> list(count);
            for (double& x : list) {
                x = random_float(random);
            }
            return list;
        }
        default: {
            std::vector<std::string> list(count);
            for (std::string& x : list) {
                x = random_text(random);
            }
            return list;
        }
    }
}

// Equal bit by bit: -0.0 is not 0.0.
std::string bits_of(const OptionValue& value) {
    return std::string(name_of(tenon::type_of(value))) + " " + tenon::to_toml(value);
}

// Without the lines of keys that have their default; every_key_test.cpp is about these.
std::string without_defaults(const std::string& text) {
    std::set<std::string> defaults;
    for (const tenon::TableSchema& table : tenon::manifest_tables()) {
        for (const OptionSchema& key : table.keys) {
            defaults.insert(key.standard ? key.name + " = " + to_toml(*key.standard) : "");
        }
    }
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        out += line.empty() || !defaults.contains(line) ? line + "\n" : "";
    }
    return out;
}

}  // namespace

TEST_CASE("a resolved manifest is plain to read") {
    const Written seen = written(
        "[run]\ntotal_frames = 1000\n[env]\nplugin = \"a/b\"\n[[env.wrappers]]\nplugin = \"w/s\"\nsteps = 2\n"
        "[[env.transforms]]\nplugin = \"t/u\"\nk = 3\n"
        "[policy.actor]\nplugin = \"m/q\"\nhidden = [8]\n[objective]\nplugin = \"d/d\"\n"
        "[schedule]\noptimiser.lr = { from = 1, to = 0, fraction = 1 }\n");
    REQUIRE(seen.problems.empty());
    const std::vector<tenon::ResolvedComponent> components = {
        {.path = "objective", .options = {{"gamma", 0.99}, {"double", true}, {"label", std::string("a\"b")}}},
        {.path = "policy.actor",
         .options = {{"hidden", std::vector<std::int64_t>{8}}, {"sizes", std::vector<double>{}}}}};
    CHECK(without_defaults(write_resolved(seen.manifest, components)) == R"(# Every value of the run, defaults included.

[run]
total_frames = 1000

[plugins]

[isolation]

[env]
plugin = "a/b"

[[env.wrappers]]
plugin = "w/s"
steps = 2

[[env.transforms]]
plugin = "t/u"
k = 3

[policy.actor]
plugin = "m/q"
hidden = [8]
sizes = []

[train]

[objective]
plugin = "d/d"
gamma = 0.99
double = true
label = "a\"b"

[optimiser]

[target]

[schedule]
"optimiser.lr" = { kind = "linear", from = 1.0, to = 0.0, fraction = 1.0 }

[eval]

[log]

[checkpoint]

[cluster]

[validate]
)");
}

TEST_CASE("what is written reads back as the same manifest") {
    std::mt19937_64 random(20240229);
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        tenon::Manifest manifest =
            written(kLeast +
                    "[[objective]]\nplugin = \"d/d\"\nname = \"p\"\n[[objective]]\nplugin = \"d/e\"\nname = \"q\"\n"
                    "networks = { actor = \"a\" }\n"
                    "[optimiser.x]\nlr = 1\n[exploration.g]\nplugin = \"e/e\"\n"
                    "[policy.a.reference]\nevery = 5\n[collector]\nlag = 2\nmax_lag = 3\nready = 4\n"
                    "[[hooks]]\nplugin = \"h/h\"\nname = \"n\"\n[[hooks]]\nplugin = \"h/h\"\nk = 2\n"
                    "[buffer.x]\nplugin = \"r/u\"\n[[buffer.x.transforms]]\nplugin = \"t/t\"\n"
                    "[[env.transforms]]\nplugin = \"t/t\"\n"
                    "[[eval.env]]\nk = 3\n[[eval.env]]\nname = \"x\"\nwrappers = []\ntransforms = []\n"
                    "[[eval.env]]\nname = \"y\"\nlanes = 2\nplugin = \"o/o\"\n"
                    "[[eval.env.transforms]]\nplugin = \"t/u\"\nk = 1\n")
                .manifest;
        manifest.run.name = random_text(random);
        manifest.run.seed = static_cast<std::int64_t>(random() >> 12);
        manifest.optimiser.lr = std::abs(random_float(random));
        manifest.optimiser.lr = *manifest.optimiser.lr > 1e300 ? 0.1 : *manifest.optimiser.lr;
        manifest.plugins.search = {random_text(random), random_text(random)};
        manifest.eval.seed = random() % 2 == 0 ? std::nullopt : std::optional<std::int64_t>(3);
        std::vector<OptionSchema> schemas;
        std::vector<OptionValue> values;
        for (int i = 0; i < 8; ++i) {
            values.push_back(random_value(random));
            schemas.emplace_back();
            schemas.back().name = "option_" + std::to_string(i);
            schemas.back().type = tenon::type_of(values.back());
        }
        std::vector<tenon::ResolvedComponent> components = {resolved(manifest.objectives[1].component, schemas, values),
                                                            resolved(manifest.env.transforms[0], schemas, values),
                                                            resolved(manifest.policies[0].component, schemas, values),
                                                            resolved(manifest.eval.envs[2].component, schemas, values)};
        const std::string text = write_resolved(manifest, components);
        CAPTURE(text);
        const Written again = written(text);
        CHECK(again.problems == std::vector<std::string>{});
        CHECK(again.manifest.run.name == manifest.run.name);
        REQUIRE(again.manifest.buffers.at(0).transforms.size() == 1);
        CHECK(again.manifest.buffers[0].transforms[0].path == "buffer.x.transforms.0");
        CHECK(again.manifest.run.seed == manifest.run.seed);
        CHECK(again.manifest.optimiser.lr == manifest.optimiser.lr);
        CHECK(again.manifest.plugins.search == manifest.plugins.search);
        CHECK(again.manifest.eval.seed == manifest.eval.seed);
        REQUIRE(again.manifest.policies[0].reference.has_value());
        CHECK(again.manifest.policies[0].reference->every == 5);
        REQUIRE(again.manifest.explorations.size() == 1);
        CHECK(again.manifest.explorations[0].group == "g");
        REQUIRE(again.manifest.objectives[1].networks.size() == 1);
        CHECK(again.manifest.objectives[1].networks[0].network == "a");
        REQUIRE(again.manifest.collector.has_value());
        CHECK(again.manifest.collector->lag == 2);
        CHECK(again.manifest.collector->max_lag == 3);
        CHECK(again.manifest.collector->ready == 4);
        REQUIRE(again.manifest.hooks.size() == 2);
        CHECK(again.manifest.hooks[0].name == "n");
        CHECK(again.manifest.hooks[1].component.options.size() == 1);
        REQUIRE(again.manifest.eval.envs.size() == 3);
        CHECK(again.manifest.eval.envs[1].own_transforms);
        CHECK(again.manifest.eval.envs[1].own_wrappers);
        CHECK(again.manifest.eval.envs[2].transforms.size() == 1);
        tenon::Problems problems;
        const std::vector<OptionValue> read =
            resolve_options(again.manifest.objectives.at(1).component, schemas, problems);
        CHECK(problems.empty());
        for (std::size_t i = 0; i < values.size(); ++i) {
            CHECK(bits_of(read[i]) == bits_of(values[i]));
        }
        CHECK(write_resolved(again.manifest, {}) == text);
        CHECK(write_resolved(again.manifest, components) == text);
    }
}

TEST_CASE("two manifests are compared value by value") {
    const auto a =
        flatten(document_of(kLeast + "[train]\nminibatch = 32\n[schedule]\n\"optimiser.lr\" = { from = 1, to = 0 }\n"));
    const auto b = flatten(document_of(kLeast + "train = { minibatch = 64 }\nschedule.optimiser.lr.to = 0\n"));
    CHECK(a.at("train.minibatch") == "32");
    CHECK(a.at("schedule.optimiser.lr.from") == "1");
    CHECK(a.at("env.plugin") == "\"classic/CartPole-v1\"");
    CHECK(b.at("env.train.minibatch") == "64");  // kLeast ends inside of [env]
    const auto c = flatten(
        document_of("[[env.transforms]]\nk = 3\n[[env.transforms]]\nk = 0.5\n[x]\nlist = [1, 2]\nnone = []\n[y]\n"));
    CHECK(c == std::map<std::string, std::string>{
                   {"env.transforms.0.k", "3"}, {"env.transforms.1.k", "0.5"}, {"x.list", "[1, 2]"}, {"x.none", "[]"}});
}

}  // namespace write_test
