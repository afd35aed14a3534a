// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: written, listed, pruned, damaged, replaced.
#include "train/checkpoint/store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace store_test {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

// Writes a checkpoint with one file of that text.
void write(const fs::path& directory, std::int64_t frames, const std::string& text = "weights") {
    const auto written = tenon::write_checkpoint(directory, frames, [&](const fs::path& folder) {
        spill(folder / "parameters.safetensors", text);
        return tenon::Status();
    });
    REQUIRE(written.has_value());
    CHECK(written->frames == frames);
    CHECK(written->folder == directory / std::to_string(frames));
}

std::vector<std::int64_t> frames_in(const fs::path& directory) {
    std::vector<std::int64_t> frames;
    for (const auto& listed : tenon::list_checkpoints(directory)) {
        frames.push_back(listed.checkpoint.frames);
    }
    return frames;
}

std::vector<std::string> names_in(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::int64_t newest(const fs::path& directory) {
    const auto found = tenon::newest_checkpoint(directory);
    REQUIRE(found.has_value());
    return found->checkpoint ? found->checkpoint->frames : -1;
}

using Names = std::vector<std::string>;
using Frames = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a run without checkpoints has none, which is no problem") {
    const ScratchFolder scratch;
    CHECK(tenon::list_checkpoints(scratch / "checkpoints").empty());
    CHECK(newest(scratch / "checkpoints") == -1);
    CHECK_THAT(tenon::find_checkpoint(scratch / "checkpoints", "last").error().sentence,
               ContainsSubstring("there is no checkpoint in"));
    CHECK_THAT(tenon::find_checkpoint(scratch / "checkpoints", "best").error().sentence,
               ContainsSubstring("marked as the best"));
}

TEST_CASE("a checkpoint is a folder of the frames' name, with links last and best that stay valid when it moves") {
    const ScratchFolder scratch;
    const fs::path directory = scratch / "run/checkpoints";
    write(directory, 1000);
    CHECK_FALSE(tenon::has_best(directory));
    REQUIRE(tenon::mark_best(directory, std::array<std::int64_t, 1>{1000}).has_value());
    CHECK(tenon::has_best(directory));
    write(directory, 2000, "later");
    CHECK(names_in(directory) == Names{"1000", "2000", "best", "last"});
    CHECK(names_in(directory / "2000") == Names{"complete.json", "parameters.safetensors"});
    CHECK(frames_in(directory) == Frames{2000, 1000});
    fs::rename(scratch / "run", scratch / "elsewhere");
    const fs::path moved = scratch / "elsewhere/checkpoints";
    CHECK(slurp(moved / "last/parameters.safetensors") == "later");
    CHECK(slurp(moved / "best/parameters.safetensors") == "weights");
    CHECK(tenon::find_checkpoint(moved, "best")->frames == 1000);
    CHECK(tenon::find_checkpoint(moved, "last")->frames == 2000);
    CHECK(tenon::find_checkpoint(moved, "1000")->folder == moved / "1000");
}

TEST_CASE("frames sort as numbers") {
    const ScratchFolder scratch;
    for (const std::int64_t frames : {900, 10000, 0, 2000}) {
        write(scratch.path(), frames);
    }
    CHECK(frames_in(scratch.path()) == Frames{10000, 2000, 900, 0});
    CHECK(newest(scratch.path()) == 10000);
}

TEST_CASE("the same frames again replace the checkpoint") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000, "old");
    write(scratch.path(), 1000, "new and longer");
    CHECK(names_in(scratch.path()) == Names{"1000", "last"});
    CHECK(slurp(scratch / "1000/parameters.safetensors") == "new and longer");
    CHECK(newest(scratch.path()) == 1000);
}

TEST_CASE("a checkpoint that cannot be filled changes nothing") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000);
    const auto failed = tenon::write_checkpoint(scratch.path(), 1000, [](const fs::path& folder) {
        spill(folder / "parameters.safetensors", "half");
        return tenon::Status(tenon::environment_problem("the disk is full"));
    });
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().sentence == "the disk is full");
    CHECK(names_in(scratch.path()) == Names{"1000", "last"});
    CHECK(slurp(scratch / "1000/parameters.safetensors") == "weights");
}

TEST_CASE("the newest are kept, and the best however old") {
    const ScratchFolder scratch;
    for (const std::int64_t frames : {1, 2, 3, 4, 5}) {
        write(scratch.path(), frames);
    }
    REQUIRE(tenon::mark_best(scratch.path(), std::array<std::int64_t, 1>{2}).has_value());
    REQUIRE(tenon::keep_newest(scratch.path(), 0).has_value());
    CHECK(frames_in(scratch.path()) == Frames{5, 4, 3, 2, 1});
    REQUIRE(tenon::keep_newest(scratch.path(), 2).has_value());
    CHECK(frames_in(scratch.path()) == Frames{5, 4, 2});
    REQUIRE(tenon::mark_best(scratch.path(), std::array<std::int64_t, 1>{4}).has_value());
    REQUIRE(tenon::keep_newest(scratch.path(), 1).has_value());
    CHECK(names_in(scratch.path()) == Names{"4", "5", "best", "last"});
}

TEST_CASE("several best ones are kept, and named by their ranks") {
    const ScratchFolder scratch;
    for (const std::int64_t frames : {1, 2, 3, 4, 5}) {
        write(scratch.path(), frames);
    }
    REQUIRE(tenon::mark_best(scratch.path(), std::array<std::int64_t, 4>{2, 9, 1, 4}).has_value());  // 9 is not there
    REQUIRE(tenon::keep_newest(scratch.path(), 1).has_value());
    CHECK(names_in(scratch.path()) == Names{"1", "2", "4", "5", "best", "best-2", "best-3", "last"});
    CHECK(tenon::find_checkpoint(scratch.path(), "best-2")->frames == 1);
    CHECK(tenon::find_checkpoint(scratch.path(), "best-3")->frames == 4);
    CHECK_THAT(tenon::find_checkpoint(scratch.path(), "best-4").error().sentence,
               ContainsSubstring("there is no best-4 in ") && ContainsSubstring("keeps the 3 best checkpoints"));
    CHECK_THAT(tenon::find_checkpoint(scratch.path(), "best-1").error().sentence,
               ContainsSubstring("is not a checkpoint"));
    REQUIRE(tenon::mark_best(scratch.path(), std::array<std::int64_t, 1>{5}).has_value());
    REQUIRE(tenon::keep_newest(scratch.path(), 1).has_value());
    CHECK(names_in(scratch.path()) == Names{"5", "best", "last"});
}

TEST_CASE("a damaged checkpoint does not count among those to keep") {
    const ScratchFolder scratch;
    for (const std::int64_t frames : {1, 2, 3}) {
        write(scratch.path(), frames);
    }
    spill(scratch / "3/parameters.safetensors", "cut");
    REQUIRE(tenon::keep_newest(scratch.path(), 1).has_value());
    CHECK(frames_in(scratch.path()) == Frames{3, 2});
    CHECK(newest(scratch.path()) == 2);
}

TEST_CASE("damage of every kind is found, told with the file, and the one before is taken") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000);
    write(scratch.path(), 2000);
    const fs::path file = scratch / "2000/parameters.safetensors";
    std::string told;
    SECTION("cut off") {
        fs::resize_file(file, 3);
        told = file.string() + " has 3 bytes instead of 7";
    }
    SECTION("missing") {
        fs::remove(file);
        told = file.string() + " is missing";
    }
    SECTION("a changed byte") {
        spill(file, "weighty");
        told = file.string() + " has been changed since it was written";
    }
    SECTION("no list of files") {
        fs::remove(scratch / "2000/complete.json");
        told = (scratch / "2000/complete.json").string();
    }
    SECTION("a list that is not JSON") {
        spill(scratch / "2000/complete.json", "{\"frames\":");
        told = (scratch / "2000/complete.json").string() + " is not JSON";
    }
    SECTION("a list without files") {
        spill(scratch / "2000/complete.json", "{\"frames\":2000}");
        told = "does not list the files of a checkpoint";
    }
    SECTION("a list that leads out of the folder") {
        spill(scratch / "2000/complete.json",
              R"({"frames":2000,"files":[{"name":"../1000/complete.json","bytes":1,"sha256":""}]})");
        told = "does not list the files of a checkpoint";
    }
    SECTION("the list of another checkpoint") {
        fs::copy_file(scratch / "1000/complete.json", scratch / "2000/complete.json",
                      fs::copy_options::overwrite_existing);
        told = "belongs to a checkpoint of 1000 frames";
    }
    SECTION("a folder that is a file") {
        fs::remove_all(scratch / "2000");
        spill(scratch / "2000", "");
        told = (scratch / "2000").string();
    }
    const auto found = tenon::newest_checkpoint(scratch.path());
    REQUIRE(found.has_value());
    REQUIRE(found->checkpoint);
    CHECK(found->checkpoint->frames == 1000);
    CHECK_THAT(found->notice, ContainsSubstring("checkpoint 2000 is damaged: ") && ContainsSubstring(told) &&
                                  ContainsSubstring("using instead: checkpoint 1000"));
    CHECK_FALSE(tenon::find_checkpoint(scratch.path(), "2000").has_value());
    CHECK(tenon::find_checkpoint(scratch.path(), "last")->frames == 1000);

    write(scratch.path(), 2000);  // the run comes by again
    CHECK(newest(scratch.path()) == 2000);
}

TEST_CASE("if all are damaged every one is told") {
    const ScratchFolder scratch;
    write(scratch.path(), 1);
    write(scratch.path(), 2);
    spill(scratch / "1/parameters.safetensors", "");
    spill(scratch / "2/parameters.safetensors", "");
    const auto found = tenon::newest_checkpoint(scratch.path());
    REQUIRE_FALSE(found.has_value());
    CHECK_THAT(found.error().sentence,
               ContainsSubstring("checkpoint 1 is damaged") && ContainsSubstring("checkpoint 2 is damaged"));
}

TEST_CASE("a checkpoint that is not there is told together with those that are") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000);
    write(scratch.path(), 2000);
    CHECK_THAT(tenon::find_checkpoint(scratch.path(), "1500").error().sentence,
               ContainsSubstring("this folder has 2000, 1000"));
    CHECK_THAT(tenon::find_checkpoint(scratch.path(), "latest").error().sentence,
               ContainsSubstring("'latest' is not a checkpoint"));
    CHECK_FALSE(tenon::find_checkpoint(scratch.path(), "01000").has_value());
    REQUIRE(tenon::mark_best(scratch.path(), std::array<std::int64_t, 1>{1500}).has_value());
    CHECK_FALSE(tenon::has_best(scratch.path()));
}

TEST_CASE("left-overs of a killed process go with the next write, even if its number is in use again") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000);
    for (const std::string& name : {".2000.tmp-" + std::to_string(getpid()) + "-0", std::string(".2000.tmp-1-7")}) {
        fs::create_directory(scratch / name);
        spill(scratch / name / "parameters.safetensors", "half");
    }
    fs::create_symlink("1000", scratch / ".last.tmp-1-8");
    spill(scratch / "notes.txt", "the user's");
    CHECK(frames_in(scratch.path()) == Frames{1000});
    write(scratch.path(), 2000);
    CHECK(names_in(scratch.path()) == Names{"1000", "2000", "last", "notes.txt"});
    CHECK(names_in(scratch / "2000") == Names{"complete.json", "parameters.safetensors"});
}

TEST_CASE("a checkpoint killed between two names of an exchange is taken up again") {
    const ScratchFolder scratch;
    write(scratch.path(), 1000);
    fs::rename(scratch / "1000", scratch / ".1000.tmp-1-1");  // as on a file system that cannot exchange
    CHECK(newest(scratch.path()) == -1);
    REQUIRE(tenon::clean_checkpoints(scratch.path()).has_value());
    CHECK(newest(scratch.path()) == 1000);
    CHECK(names_in(scratch.path()) == Names{"1000", "last"});
}

TEST_CASE("only files belong into a checkpoint") {
    const ScratchFolder scratch;
    const auto failed = tenon::write_checkpoint(scratch.path(), 1, [](const fs::path& folder) {
        fs::create_directory(folder / "more");
        return tenon::Status();
    });
    REQUIRE_FALSE(failed.has_value());
    CHECK_THAT(failed.error().sentence, ContainsSubstring("regular files only"));
    CHECK(names_in(scratch.path()).empty());
}

}  // namespace store_test
