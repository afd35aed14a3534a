// SPDX-License-Identifier: Apache-2.0
// The folder of a run: where it is made, when it is refused, and its lock.
#include "folder/records/folder.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "folder/records/lock.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace folder_test {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using tenon::RunFolder;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

tenon::Result<RunFolder> create_in(const fs::path& out) {
    return RunFolder::create(out, "unused", "cartpole", "[run]\n", "");
}

}  // namespace

TEST_CASE("a run folder holds the manifest, a place for checkpoints and the lock") {
    const ScratchFolder scratch;
    const auto run = create_in(scratch / "a/b/");
    REQUIRE(run.has_value());
    CHECK(run->path() == scratch / "a/b");
    CHECK(slurp(run->manifest()) == "[run]\n");
    CHECK(fs::is_directory(run->checkpoints()));
    CHECK(slurp(scratch / "a/b/lock") == std::to_string(getpid()) + "\n");
}

TEST_CASE("a run that came to nothing leaves nothing, but for what is not its own") {
    const ScratchFolder scratch;
    {
        const auto run = create_in(scratch / "a/b");
        REQUIRE(run.has_value());
        spill(run->path() / "metrics.jsonl", "");
        run->discard();
        CHECK_FALSE(fs::exists(scratch / "a"));
    }
    fs::create_directory(scratch / "mine");
    spill(scratch / "mine/notes", "keep");
    const auto run = create_in(scratch / "mine");
    REQUIRE(run.has_value());
    run->discard();
    CHECK(slurp(scratch / "mine/notes") == "keep");
    CHECK(std::distance(fs::directory_iterator(scratch / "mine"), fs::directory_iterator()) == 1);
}

TEST_CASE("without --out runs are numbered, after the highest of that name") {
    const ScratchFolder scratch;
    const fs::path runs = scratch / "runs";
    CHECK(RunFolder::create({}, runs, "dqn", "", "")->path() == runs / "dqn-1");
    CHECK(RunFolder::create({}, runs, "dqn", "", "")->path() == runs / "dqn-2");
    CHECK(RunFolder::create({}, runs, "dqn-2", "", "")->path() == runs / "dqn-2-1");
    fs::create_directory(runs / "dqn-41");
    fs::create_directory(runs / "dqn-x99");
    CHECK(RunFolder::create({}, runs, "dqn", "", "")->path() == runs / "dqn-42");
    CHECK(RunFolder::create({}, runs, "../../up", "", "")->path() == runs / "run..-..-up-1");
    CHECK(RunFolder::create({}, runs, "", "", "")->path() == runs / "run-1");
}

TEST_CASE("a folder that holds a run is refused and left as it is") {
    const ScratchFolder scratch;
    const fs::path out = scratch / "a";
    REQUIRE(create_in(out).has_value());
    spill(out / "metrics.jsonl", "{}\n");
    const auto again = RunFolder::create(out, "unused", "x", "other", "");
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().fault == tenon::Fault::kInput);
    CHECK(again.error().sentence ==
          out.string() + " already contains a run; resume it with --resume " + out.string() + " or give another --out");
    CHECK(slurp(out / "manifest.lock.toml") == "[run]\n");
    CHECK(slurp(out / "metrics.jsonl") == "{}\n");
}

TEST_CASE("traces of a run are a run, other files are not") {
    const ScratchFolder scratch;
    spill(scratch / "notes.txt", "mine");
    CHECK(create_in(scratch.path()).has_value());
    CHECK(slurp(scratch / "notes.txt") == "mine");

    const ScratchFolder other;
    spill(other / "metrics.csv", "a,b\n");
    CHECK_THAT(create_in(other.path()).error().sentence, ContainsSubstring("already contains a run"));
    CHECK_FALSE(fs::exists(other / "lock"));
}

TEST_CASE("a new run knows what else is in its folder") {
    const ScratchFolder scratch;
    CHECK(create_in(scratch / "new")->others().empty());
    for (const char* left : {".hidden", "lock", "plugins.toml", ".manifest.lock.toml.tmp-1"}) {
        fs::create_directory(scratch / "begun");
        spill(scratch / "begun" / left, "");
    }
    CHECK(create_in(scratch / "begun")->others().empty());
    fs::create_directories(scratch / "mine/src");
    spill(scratch / "mine/b.txt", "");
    CHECK(create_in(scratch / "mine")->others() == "b.txt, src");
    fs::create_directory(scratch / "full");
    for (const char* name : {"1", "2", "3", "4", "5"}) {
        spill(scratch / "full" / name, "");
    }
    CHECK(create_in(scratch / "full")->others() == "1, 2, 3 and 2 more");
}

TEST_CASE("what --out names must be a folder") {
    const ScratchFolder scratch;
    spill(scratch / "file", "");
    const auto run = create_in(scratch / "file");
    REQUIRE_FALSE(run.has_value());
    CHECK_THAT(run.error().sentence, ContainsSubstring("is not a folder"));
}

TEST_CASE("nothing is left of a run that could not be made") {
    const ScratchFolder scratch;
    spill(scratch / "file", "");
    CHECK_FALSE(create_in(scratch / "file/below/that").has_value());
    CHECK_FALSE(RunFolder::create({}, scratch / "file", "x", "", "").has_value());

    // A run's lock that cannot be made comes after its folders.
    const auto too_long = RunFolder::create(scratch / "new/deep", "unused", "x", "", "");
    REQUIRE(too_long.has_value());
    fs::create_directory(scratch / "odd");
    fs::create_directory(scratch / "odd/lock");
    CHECK_FALSE(create_in(scratch / "odd").has_value());
    CHECK(fs::is_empty(scratch / "odd/lock"));
    CHECK(std::distance(fs::directory_iterator(scratch / "odd"), fs::directory_iterator()) == 1);

    // The files come after the lock: a path that has room for one name and not for the other.
    fs::path deep = scratch.path();
    while (deep.native().size() < 4070) {
        deep /= std::string(std::min<std::size_t>(200, 4080 - deep.native().size() - 1), 'd');
    }
    const auto failed = create_in(deep);
    REQUIRE_FALSE(failed.has_value());
    CHECK_THAT(failed.error().sentence, ContainsSubstring("plugins.toml"));
    CHECK_FALSE(fs::exists(scratch / std::string(200, 'd')));
}

TEST_CASE("a second process is kept out, and told who is in") {
    const ScratchFolder scratch;
    const auto run = create_in(scratch / "a");
    REQUIRE(run.has_value());
    const auto second = RunFolder::reopen(scratch / "a");
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().fault == tenon::Fault::kInput);
    CHECK(second.error().sentence == "another process is writing the run in " + (scratch / "a").string() +
                                         " (process " + std::to_string(getpid()) + ")");
}

TEST_CASE("a killed process gives its lock back") {
    const ScratchFolder scratch;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto run = create_in(scratch / "a");
        const char sign = run ? 'y' : 'n';
        if (write(ready[1], &sign, 1) == 1) {
            pause();
        }
        _exit(1);
    }
    char sign = 0;
    REQUIRE(read(ready[0], &sign, 1) == 1);
    CHECK(sign == 'y');
    CHECK_THAT(RunFolder::reopen(scratch / "a").error().sentence, ContainsSubstring(std::to_string(child)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    const auto run = RunFolder::reopen(scratch / "a");
    REQUIRE(run.has_value());
    CHECK(slurp(run->manifest()) == "[run]\n");
}

TEST_CASE("a forked process does not keep the lock") {
    const ScratchFolder scratch;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_t child = 0;
    {
        const auto first = tenon::lock_run(scratch.path());
        REQUIRE(first.has_value());
        child = fork();
        if (child == 0) {
            struct stat number{};
            struct stat nothing{};
            const bool hidden = fstat(first->get(), &number) == 0 && stat("/dev/null", &nothing) == 0 &&
                                number.st_rdev == nothing.st_rdev;
            const char sign = hidden ? 'y' : 'n';
            if (write(ready[1], &sign, 1) == 1) {
                pause();
            }
            _exit(1);
        }
        char sign = 0;
        REQUIRE(read(ready[0], &sign, 1) == 1);
        CHECK(sign == 'y');
        CHECK_FALSE(tenon::lock_run(scratch.path()).has_value());  // the child has not released it
    }
    CHECK(tenon::lock_run(scratch.path()).has_value());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("only a run can be gone on with") {
    const ScratchFolder scratch;
    CHECK_THAT(RunFolder::reopen(scratch.path()).error().sentence, ContainsSubstring("it has no manifest.lock.toml"));
    CHECK_THAT(RunFolder::reopen(scratch / "none").error().sentence, ContainsSubstring("there is no run in"));
    CHECK_FALSE(fs::exists(scratch / "lock"));
}

TEST_CASE("a lock that was removed and made anew is not held by who has the old one") {
    const ScratchFolder scratch;
    const auto first = tenon::lock_run(scratch.path());
    REQUIRE(first.has_value());
    fs::remove(scratch / "lock");
    const auto second = tenon::lock_run(scratch.path());
    REQUIRE(second.has_value());
    CHECK_FALSE(tenon::lock_run(scratch.path()).has_value());
}

}  // namespace folder_test
