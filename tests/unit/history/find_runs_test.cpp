// SPDX-License-Identifier: Apache-2.0
// Which folders are runs, and in which order.
#include "shared/history/find_runs.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "shared/history/natural_order.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace find_runs_test {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using tenon::find_runs;
using tenon::test::ScratchFolder;
using tenon::test::spill;

void make_run(const fs::path& folder) {
    fs::create_directories(folder);
    spill(folder / "manifest.lock.toml", "[run]\n");
}

}  // namespace

TEST_CASE("numbers in names are compared as numbers") {
    std::vector<std::string> names{"run-10", "a", "run-2b", "run-2", "10", "9", "run-02", "run", "007", "7"};
    std::ranges::sort(names, tenon::natural_less);
    CHECK(names == std::vector<std::string>{"007", "7", "9", "10", "a", "run", "run-02", "run-2", "run-2b", "run-10"});
    for (const std::string& a : names) {
        for (const std::string& b : names) {
            CHECK((a == b) == (!tenon::natural_less(a, b) && !tenon::natural_less(b, a)));
        }
    }
}

TEST_CASE("a run is itself; a folder is the runs below it, in natural order") {
    const ScratchFolder scratch;
    make_run(scratch / "10");
    make_run(scratch / "2");
    make_run(scratch / "2/inside of a run");
    make_run(scratch / "sweep/a/1");
    make_run(scratch / "sweep/a/b/too deep");
    make_run(scratch / ".draft");
    fs::create_directory_symlink(scratch.path(), scratch / "loop");
    const auto one = find_runs(scratch / "10");
    REQUIRE(one.has_value());
    CHECK(*one == std::vector<fs::path>{scratch / "10"});
    const auto all = find_runs(scratch.path());
    REQUIRE(all.has_value());
    CHECK(*all == std::vector<fs::path>{scratch / "2", scratch / "10", scratch / "sweep/a/1"});
    const auto twice = find_runs(std::vector<fs::path>{scratch / "10", scratch.path()});
    REQUIRE(twice.has_value());
    CHECK(*twice == std::vector<fs::path>{scratch / "10", scratch / "2", scratch / "sweep/a/1"});
}

TEST_CASE("a path without runs is refused with what is missing") {
    const ScratchFolder scratch;
    spill(scratch / "file", "");
    CHECK_THAT(find_runs(scratch.path()).error().sentence, ContainsSubstring("none has a manifest.lock.toml"));
    CHECK_THAT(find_runs(scratch / "nowhere").error().sentence, ContainsSubstring("there is no folder"));
    CHECK_THAT(find_runs(scratch / "file").error().sentence, ContainsSubstring("is not a folder"));
}

}  // namespace find_runs_test
