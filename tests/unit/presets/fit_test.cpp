// SPDX-License-Identifier: Apache-2.0
// Which preset an env gets, and what is wrong with a file that is none.
#include <filesystem>
#include <fstream>

#include "shared/presets/preset.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace fit_test {
namespace {

using tenon::EnvKind;
using tenon::Preset;
using tenon::Problems;
using tenon::test::ScratchFolder;

const EnvKind kVector{
    .observations = "vector", .actions = "discrete", .bounded = true, .group = {}, .layout = {}, .columns = {}};

Preset preset() {
    Preset out;
    out.algorithm = "a";
    return out;
}

std::vector<std::string> sentences(const std::string& text) {
    const ScratchFolder folder;
    std::ofstream(folder.path() / "a.toml") << text;
    Problems problems;
    read_presets(folder.path(), problems);
    std::vector<std::string> out;
    for (const tenon::Problem& problem : problems) {
        out.push_back(problem.sentence);
    }
    return out;
}

TEST_CASE("a preset without needs is for any env with one agent") {
    CHECK(fit_of(preset(), kVector, "x/y") == 0);
    EnvKind several = kVector;
    several.group = "agents";
    CHECK_FALSE(fit_of(preset(), several, "x/y"));
    Preset group = preset();
    group.group = true;
    CHECK(fit_of(group, several, "x/y") == 0);
    CHECK_FALSE(fit_of(group, kVector, "x/y"));
}

TEST_CASE("each need that is fulfilled counts, and the name counts most") {
    Preset all = preset();
    all.observations = {"picture", "vector"};
    CHECK(fit_of(all, kVector, "x/y") == 1);
    all.actions = {"discrete"};
    CHECK(fit_of(all, kVector, "x/y") == 2);
    all.bounded = true;
    CHECK(fit_of(all, kVector, "x/y") == 3);
    Preset named = preset();
    named.env = "x/*";
    CHECK(fit_of(named, kVector, "x/y") == 4);
    CHECK(fit_of(named, kVector, "shipped:x/y") == 4);
    all.env = "x/*";
    CHECK(fit_of(all, kVector, "x/y") == 7);
}

TEST_CASE("a need that is not fulfilled excludes the preset") {
    Preset other = preset();
    SECTION("observations") {
        other.observations = {"picture"};
    }
    SECTION("actions") {
        other.actions = {"continuous"};
    }
    SECTION("bounds") {
        other.bounded = false;
    }
    SECTION("name") {
        other.env = "y/*";
    }
    CHECK_FALSE(fit_of(other, kVector, "x/y"));
}

TEST_CASE("what a preset is for, in words") {
    Preset all = preset();
    CHECK(needs_of(all) == "any observations with any actions");
    all.observations = {"vector"};
    all.actions = {"discrete", "one_hot"};
    all.group = true;
    CHECK(needs_of(all) == "vector observations with discrete or one_hot actions of several agents");
}

TEST_CASE("a preset is read without its own table") {
    const ScratchFolder folder;
    std::ofstream(folder.path() / "a.toml") << "[preset]\nalgorithm = \"a\"\nactions = \"binary\"\nbounded = false\n"
                                               "asks = { \"buffer.init\" = \"frames\" }\n[train]\nbatch = 3\n";
    Problems problems;
    const std::vector<Preset> read = read_presets(folder.path(), problems);
    CHECK(problems.empty());
    REQUIRE(read.size() == 1);
    CHECK(read[0].actions == std::vector<std::string>{"binary"});
    CHECK(read[0].bounded == false);
    CHECK(read[0].asks == std::vector<std::pair<std::string, std::string>>{{"buffer.init", "frames"}});
    CHECK(read[0].document.root.find("preset") == nullptr);
    CHECK(read[0].document.root.find("train") != nullptr);
}

TEST_CASE("of an algorithm those files are read whose names begin with it, and each shipped one does") {
    const ScratchFolder folder;
    std::ofstream(folder.path() / "ab.toml") << "[preset]\nalgorithm = \"ab\"\n";
    std::ofstream(folder.path() / "b.toml") << "broken";
    Problems problems;
    const std::vector<Preset> read = tenon::read_presets(folder.path(), problems, "a");
    CHECK(problems.empty());
    REQUIRE(read.size() == 1);
    CHECK(read[0].algorithm == "ab");

    const std::filesystem::path shipped = TENON_SHIPPED_PRESETS;
    const std::vector<Preset> all = tenon::read_presets(shipped, problems);
    CHECK(problems.empty());
    CHECK(all.size() > 80);
    for (const Preset& one : all) {
        INFO(one.document.place.file);
        CHECK(std::filesystem::path(one.document.place.file).filename().string().starts_with(one.algorithm));
    }
}

TEST_CASE("what is wrong with a preset") {
    CHECK(sentences("[train]\nbatch = 3\n") == std::vector<std::string>{"a preset needs a table [preset]"});
    CHECK(sentences("[preset]\nabout = \"x\"\n") == std::vector<std::string>{"preset.algorithm must be given"});
    CHECK(sentences("[preset]\nalgorithm = \"a\"\nactoins = \"x\"\nbounded = 3\n") ==
          std::vector<std::string>{"preset.actoins is not a key of presets, or has another type",
                                   "preset.bounded is not a key of presets, or has another type"});
    Problems problems;
    CHECK(tenon::read_presets("/nowhere", problems).empty());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].fault == tenon::Fault::kEnvironment);
}

}  // namespace
}  // namespace fit_test
