// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "commands/top/ask_run.hpp"
#include "commands/top/top_screen.hpp"
#include "folder/records/lock.hpp"
#include "shared/history/history_reader.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::top_test {

std::shared_ptr<WatchedRun> run_named(const std::string& name, RunState state, double changed) {
    auto run = std::make_shared<WatchedRun>();
    run->name = name;
    run->id = name;
    run->state = state;
    run->changed = changed;
    run->info.length = 1000;
    run->position = 250;
    return run;
}

TEST_CASE("a sparkline has eight heights and blanks") {
    CHECK(sparkline({0, 1, 2, 3, 4, 5, 6, 7}) == "▁▂▃▄▅▆▇█");
    CHECK(sparkline({-1, NAN, 1}) == "▁ █");
    CHECK(sparkline({3, 3}) == "▅▅");
    CHECK(sparkline({}).empty());
}

TEST_CASE("running runs come first, then those that changed last") {
    RunsView view;
    view.runs = {run_named("old", RunState::kEnded, 1), run_named("new", RunState::kDied, 2),
                 run_named("a", RunState::kRunning, 0), run_named("b", RunState::kRunning, 3)};
    std::string names;
    for (const auto& run : order_for_top(view)) {
        names += run->name + " ";
    }
    CHECK(names == "a b new old ");
}

TEST_CASE("a name cannot send codes to the terminal") {
    const std::string screen = top_screen({run_named("x\x1b[2J\ny", RunState::kStopped, 0)}, 0, {.lines = 0});
    CHECK(screen.find('\x1b') == std::string::npos);
    CHECK(screen.find("x\\x1b[2J y") != std::string::npos);
    CHECK(screen.find("25%") != std::string::npos);
}

TEST_CASE("what shards wait for is apart from the shares of the time") {
    const test::ScratchFolder folder;
    std::ofstream(folder.path() / "metrics.jsonl")
        << R"({"frames":8,"time/time_elapsed":2,"time/exchange":0.25,"time/wait":0.5,"time/slowest_shard":1})" << '\n';
    HistoryReader history(folder.path());
    REQUIRE(history.read_more());
    const auto run = run_named("a", RunState::kRunning, 0);
    run->curves = RunCurves(history);
    const std::string screen = top_screen({run}, 0, {.columns = 120, .lines = 24});
    CAPTURE(screen);
    CHECK(screen.find("time:  not measured; --profile measures it; shards: exchange 0.25 s, wait 0.5 s, slowest 1\n") !=
          std::string::npos);
}

TEST_CASE("no screen is higher than the terminal") {
    std::vector<std::shared_ptr<const WatchedRun>> runs;
    for (int i = 0; i < 100; ++i) {
        runs.push_back(run_named("run-" + std::to_string(i), RunState::kEnded, i));
    }
    for (const std::size_t selected : {0, 50, 99}) {
        const std::string screen = top_screen(runs, selected, {.lines = 20});
        CHECK(std::ranges::count(screen, '\n') < 20);
        CHECK(screen.find("> run-" + std::to_string(selected)) != std::string::npos);
    }
}

TEST_CASE("only the process that holds the lock is asked to stop, or for something else") {
    const test::ScratchFolder folder;
    WatchedRun run = *run_named("a", RunState::kRunning, 0);
    run.info.folder = folder.path();
    CHECK(stop_run(run).error().sentence == "the run in " + folder.path().string() + " is not running");
    const auto lock = lock_run(folder.path());
    REQUIRE(lock);
    run.process = ::getppid();  // holds another file
    CHECK(stop_run(run).error().sentence ==
          "the process of the run in " + folder.path().string() +
              " runs on another machine, or belongs to another user; stop it there with Ctrl-C");
    CHECK(ask_run(run, {.evaluate = true}).error().sentence == stop_run(run).error().sentence);
}

}  // namespace tenon::top_test
