// SPDX-License-Identifier: Apache-2.0
// Copies of run folders: whole, without the lock, and with checkpoints that a later change of the original leaves
// alone.
#include "commands/sweep/copy_run.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace copy_run_test {

namespace fs = std::filesystem;
using namespace tenon;

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a copy has the records and checkpoints of a run at that time, and no lock") {
    const test::ScratchFolder scratch;
    const fs::path from = scratch.path() / "from";
    const fs::path to = scratch.path() / "deep" / "to";
    fs::create_directories(from / "checkpoints" / "100");
    std::ofstream(from / "checkpoints" / "100" / "state.bin") << "s";
    fs::create_directory_symlink("100", from / "checkpoints" / "last");
    std::ofstream(from / "metrics.jsonl") << "one\n";
    std::ofstream(from / "lock") << "1";
    fs::create_directories(to.string() + ".part");  // left by a copy that was killed
    std::ofstream(to.string() + ".part/old") << "x";
    REQUIRE(copy_run(from, to));
    std::ofstream(from / "metrics.jsonl", std::ios::app) << "two\n";
    fs::remove_all(from / "checkpoints" / "100");
    CHECK(text_of(to / "metrics.jsonl") == "one\n");
    CHECK(text_of(to / "checkpoints" / "last" / "state.bin") == "s");
    CHECK_FALSE(fs::exists(to / "lock"));
    CHECK_FALSE(fs::exists(to / "old"));
    CHECK_FALSE(fs::exists(to.string() + ".part"));
    REQUIRE(copy_run(from, to));  // which exists already
    CHECK(text_of(to / "metrics.jsonl") == "one\n");
}

TEST_CASE("a run that does not exist leaves no copy") {
    const test::ScratchFolder scratch;
    CHECK_FALSE(copy_run(scratch.path() / "none", scratch.path() / "to"));
    CHECK_FALSE(fs::exists(scratch.path() / "to"));
}

}  // namespace copy_run_test
