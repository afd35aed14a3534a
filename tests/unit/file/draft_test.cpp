// SPDX-License-Identifier: Apache-2.0
#include "file/draft.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace tenon;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// The number of a process that has ended and been waited for.
int dead_process() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return child;
}

}  // namespace

TEST_CASE("a folder appears only when it is committed") {
    const ScratchFolder scratch;
    auto draft = FolderDraft::begin(scratch / "100");
    REQUIRE(draft);
    spill(draft->folder() / "a", "1");
    fs::create_directory(draft->folder() / "deep");
    spill(draft->folder() / "deep/b", "2");
    CHECK_FALSE(fs::exists(scratch / "100"));
    REQUIRE(draft->commit());
    CHECK(slurp(scratch / "100/a") == "1");
    CHECK(slurp(scratch / "100/deep/b") == "2");
    CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a draft that is not committed leaves nothing") {
    const ScratchFolder scratch;
    {
        auto draft = FolderDraft::begin(scratch / "100");
        REQUIRE(draft);
        spill(draft->folder() / "a", "1");
        const FolderDraft moved = std::move(*draft);
    }
    CHECK(entries(scratch.path()) == 0);
}

TEST_CASE("a folder of the same name is replaced as a whole") {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "100");
    spill(scratch / "100/old", "x");
    auto draft = FolderDraft::begin(scratch / "100");
    REQUIRE(draft);
    spill(draft->folder() / "new", "y");
    REQUIRE(draft->commit());
    CHECK(slurp(scratch / "100/new") == "y");
    CHECK_FALSE(fs::exists(scratch / "100/old"));
    CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a draft where nothing can be made is the environment's problem") {
    const ScratchFolder scratch;
    const auto draft = FolderDraft::begin(scratch / "missing/100");
    REQUIRE_FALSE(draft);
    CHECK(draft.error().fault == Fault::kEnvironment);
    CHECK(draft.error().sentence ==
          "cannot make the folder " + (scratch / "missing/100").string() + ": No such file or directory");
}

TEST_CASE("drafts of dead processes are removed, all else stays") {
    const ScratchFolder scratch;
    const std::string dead = ".100.tmp-" + std::to_string(dead_process()) + "-3";
    fs::create_directory(scratch / dead);
    spill(scratch / dead / "half", "x");
    for (const char* kept : {"100", ".hidden", ".100.tmp-x-1", ".100.tmp-", ".tmp"}) {
        fs::create_directory(scratch / kept);
    }
    const auto mine = FolderDraft::begin(scratch / "200");
    REQUIRE(mine);
    remove_stale_drafts(scratch.path());
    CHECK_FALSE(fs::exists(scratch / dead));
    CHECK(fs::exists(mine->folder()));
    CHECK(entries(scratch.path()) == 6);
    remove_stale_drafts(scratch / "not there");
}
