// SPDX-License-Identifier: Apache-2.0
#include "base/file/atomic.hpp"

#include <iterator>

#include "base/file/sync.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace atomic_test {

using namespace tenon;
using tenon::test::ScratchFolder;
using tenon::test::slurp;

namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is written and replaced as a whole, leaving nothing else") {
    const ScratchFolder scratch;
    REQUIRE(write_file(scratch / "a", "one"));
    CHECK(slurp(scratch / "a") == "one");
    const std::string large(3'000'000, 'x');
    REQUIRE(write_file(scratch / "a", large));
    CHECK(slurp(scratch / "a") == large);
    CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a file that is written quickly is replaced as a whole too") {
    const ScratchFolder scratch;
    REQUIRE(write_quickly(scratch / "a", "one"));
    REQUIRE(write_quickly(scratch / "a", "and two"));
    CHECK(slurp(scratch / "a") == "and two");
    CHECK(entries(scratch.path()) == 1);
    CHECK_FALSE(write_quickly(scratch / "no/such/file", "x"));
    fs::create_directories(scratch / "taken/inside");
    CHECK_FALSE(write_quickly(scratch / "taken", "x"));
    CHECK(entries(scratch.path()) == 2);
}

TEST_CASE("a folder that is missing is the environment's problem, with path and reason") {
    const ScratchFolder scratch;
    const Status status = write_file(scratch / "no/such/file", "x");
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kEnvironment);
    CHECK(status.error().sentence == "cannot write " + (scratch / "no/such/file").string() + ": there is no folder " +
                                         (scratch / "no/such").string());
}

TEST_CASE("what cannot be replaced stays, and the temporary file goes") {
    const ScratchFolder scratch;
    fs::create_directories(scratch / "taken/inside");
    const Status status = write_file(scratch / "taken", "x");
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kEnvironment);
    CHECK(status.error().sentence == "cannot write " + (scratch / "taken").string() + ": Is a directory");
    CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a full disk is the environment's problem") {
    const Status status = write_and_sync("/dev/full", "x");
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kEnvironment);
    CHECK(status.error().sentence == "cannot write /dev/full: No space left on device");
}

TEST_CASE("a link is moved in one step") {
    const ScratchFolder scratch;
    REQUIRE(replace_link(scratch / "last", "1000"));
    CHECK(fs::read_symlink(scratch / "last") == "1000");
    REQUIRE(replace_link(scratch / "last", "2000"));
    CHECK(fs::read_symlink(scratch / "last") == "2000");
    CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("folders are made with those above them") {
    const ScratchFolder scratch;
    REQUIRE(make_folders(scratch / "a/b/c"));
    REQUIRE(make_folders(scratch / "a/b/c"));
    CHECK(fs::is_directory(scratch / "a/b/c"));
    REQUIRE(write_file(scratch / "file", "x"));
    const Status status = make_folders(scratch / "file/below");
    REQUIRE_FALSE(status);
    CHECK(status.error().sentence ==
          "cannot create the folder " + (scratch / "file/below").string() + ": Not a directory");
}

}  // namespace atomic_test
