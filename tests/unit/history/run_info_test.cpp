// SPDX-License-Identifier: Apache-2.0
// The manifests of runs as flat text, and which keys differ.
#include "shared/history/run_info.hpp"

#include <string>
#include <vector>

#include "folder/records/folder.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace run_info_test {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using tenon::read_run_info;
using tenon::RunInfo;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

RunInfo info(const fs::path& folder, const std::string& manifest) {
    fs::create_directories(folder);
    spill(folder / "manifest.lock.toml", manifest);
    auto run = read_run_info(folder);
    REQUIRE(run.has_value());
    return std::move(*run);
}

}  // namespace

TEST_CASE("a manifest is read back as text by dotted key") {
    const ScratchFolder scratch;
    const RunInfo run = info(scratch.path(), "[run]\ntotal_frames = 1000\n[env]\nplugin = \"a/B-v0\"\n");
    CHECK(run.values.at("env.plugin") == "\"a/B-v0\"");
    CHECK(tenon::plain_value(run.values, "env.plugin") == "a/B-v0");
    CHECK(tenon::plain_value(run.values, "run.total_frames") == "1000");
    CHECK(tenon::plain_value(run.values, "no.key").empty());
    CHECK(run.length == 1000);
    CHECK(position_metric(run) == "frames");
    const RunInfo learns = info(scratch.path(), "[train]\ntotal_updates = 30\n");
    CHECK(learns.length == 30);
    CHECK(position_metric(learns) == "train/n_updates");
}

TEST_CASE("keys differ by value, or if a run does not have them") {
    const ScratchFolder scratch;
    const std::vector<RunInfo> runs{info(scratch / "a", "x = 1\n[t]\ny = 2\nz = 3\n"),
                                    info(scratch / "b", "x = 1\n[t]\ny = 4\n"),
                                    info(scratch / "c", "x = 1\n[t]\ny = 2\nz = 3\nw = 0\n")};
    CHECK(differing_keys(runs) == std::vector<std::string>{"t.w", "t.y", "t.z"});
    CHECK(differing_keys(std::vector<RunInfo>{runs[0]}).empty());
}

TEST_CASE("a folder without a run, with a damaged one, or with one of a later version is refused") {
    const ScratchFolder scratch;
    CHECK_THAT(read_run_info(scratch.path()).error().sentence, ContainsSubstring("it has no manifest.lock.toml"));
    spill(scratch / "manifest.lock.toml", "[run\n");
    CHECK(read_run_info(scratch.path()).error().place.line == 1);
    auto run = tenon::RunFolder::create(scratch / "new", "unused", "", "[run]\n", "[library]\nversion = \"1\"\n");
    REQUIRE(run.has_value());
    CHECK(read_run_info(scratch / "new").has_value());
    std::string text = slurp(scratch / "new/plugins.toml");
    CHECK_THAT(text, ContainsSubstring("\"format of the run\" = 1\n"));
    text.replace(text.find("= 1"), 3, "= 2");
    spill(scratch / "new/plugins.toml", text);
    CHECK_THAT(read_run_info(scratch / "new").error().sentence,
               ContainsSubstring("was written by a later version of tenon (its format is 2, this one reads up to 1)"));
}

}  // namespace run_info_test
