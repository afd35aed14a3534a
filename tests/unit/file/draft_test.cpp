// SPDX-License-Identifier: Apache-2.0
#include "base/file/draft.hpp"

#include <unistd.h>

#include <iterator>
#include <string>

#include "base/file/sync.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace draft_test {

using namespace tenon;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
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
          "cannot create the folder " + (scratch / "missing/100").string() + ": No such file or directory");
}

TEST_CASE("a left-over of the same name is not taken for the draft") {
    const ScratchFolder scratch;
    const std::string mine = temporary_in_same_folder(scratch / "100").filename().string();
    // The next numbers of this very process, as a process of the same number may have left them.
    const std::size_t dash = mine.rfind('-') + 1;
    const int next = std::stoi(mine.substr(dash)) + 1;
    for (int i = next; i < next + 3; ++i) {
        const fs::path left = scratch / (mine.substr(0, dash) + std::to_string(i));
        fs::create_directory(left);
        spill(left / "old", "x");
    }
    auto draft = FolderDraft::begin(scratch / "100");
    REQUIRE(draft);
    CHECK(entries(draft->folder()) == 0);
    REQUIRE(draft->commit());
    CHECK_FALSE(fs::exists(scratch / "100/old"));
}

TEST_CASE("drafts are removed, whoever made them, all else stays") {
    const ScratchFolder scratch;
    for (const std::string& owner :
         {std::to_string(::getpid()), std::string("1"), std::string("99999999999999999999")}) {
        fs::create_directory(scratch / (".100.tmp-" + owner + "-3"));
        spill(scratch / (".100.tmp-" + owner + "-3") / "half", "x");
    }
    spill(scratch / ".plugins.toml.tmp-7-0", "half");
    for (const char* kept :
         {"100", ".hidden", ".100.tmp-x-1", ".100.tmp-", ".100.tmp-1-", ".100.tmp-1-x", ".tmp-1-1"}) {
        fs::create_directory(scratch / kept);
    }
    remove_drafts(scratch.path());
    CHECK(entries(scratch.path()) == 7);
    CHECK_FALSE(fs::exists(scratch / ".plugins.toml.tmp-7-0"));
    remove_drafts(scratch / "not there");
}

}  // namespace draft_test
