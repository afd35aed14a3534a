// SPDX-License-Identifier: Apache-2.0
// What is believed of the processes that make runs: scripts take the place of the program.
#include "shared/seeds/seeds.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace seeds_test {

namespace fs = std::filesystem;
using namespace tenon;

namespace {

// The run that this script makes, where $5 is its folder.
SeedRun made_by(const fs::path& folder, const std::string& script) {
    const fs::path program = folder / "tenon";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    const SeedsRequest request{
        .program = program, .words = {}, .seeds = {7}, .out = folder, .length = 1, .unit = "frame", .quiet = true};
    return launch_runs(request, {seed_run(7, folder / "7")}).runs.at(0);
}

}  // namespace

TEST_CASE("the exit code 0 is believed of a run that has written its end, and of no other") {
    const test::ScratchFolder scratch;
    const std::string early = "its process ended in the middle of the run with exit code 0, probably by a plugin";
    SECTION("its end") {
        CHECK(made_by(scratch.path(), R"(mkdir "$5"; : > "$5/lock")").code == 0);
    }
    SECTION("in the middle") {
        const SeedRun run = made_by(scratch.path(), R"(mkdir "$5"; echo $$ > "$5/lock")");
        CHECK(run.code == 3);
        CHECK(run.error == early);
    }
    SECTION("before there is a folder") {
        const SeedRun run = made_by(scratch.path(), "exit 0");
        CHECK(run.code == 3);
        CHECK(run.error == early);
    }
    SECTION("another code") {
        const SeedRun run = made_by(scratch.path(), "echo 'error: the disk is full'; exit 4");
        CHECK(run.code == 4);
        CHECK(run.error == "the disk is full");
    }
}

}  // namespace seeds_test
