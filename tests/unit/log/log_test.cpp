// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/captured_stderr.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace log_test {

using tenon::Level;
using tenon::log;
using tenon::set_log_level;

TEST_CASE("a line goes to stderr with its level, in plain text where that is no terminal") {
    const tenon::test::CapturedStderr captured;
    log(Level::kDebug, "below the level of the first call");
    log(Level::kInfo, "one");
    log(Level::kWarning, "two {} %s \xc3\xa9");
    log(Level::kError, "");
    log(Level::kOff, "never");
    CHECK(captured.text() == "info: one\nwarning: two {} %s \xc3\xa9\nerror: \n");
}

TEST_CASE("lines below the level are dropped") {
    const tenon::test::CapturedStderr captured;
    set_log_level(Level::kError);
    log(Level::kWarning, "one");
    log(Level::kError, "two");
    set_log_level(Level::kOff);
    log(Level::kError, "three");
    set_log_level(Level::kDebug);
    log(Level::kDebug, "four");
    set_log_level(Level::kInfo);
    CHECK(captured.text() == "error: two\ndebug: four\n");
}

TEST_CASE("lines of several threads stay whole") {
    const tenon::test::CapturedStderr captured;
    const std::string line(200, 'x');
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 100; ++n) {
                log(Level::kInfo, line);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::string wanted;
    for (int i = 0; i < 400; ++i) {
        wanted += "info: " + line + "\n";
    }
    CHECK(captured.text() == wanted);
}

TEST_CASE("the file of plugins has their lines at every level, and none before and after it") {
    const tenon::test::CapturedStderr captured;
    const tenon::test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "log.txt";
    tenon::log_of_plugin(Level::kInfo, "before");
    {
        const tenon::PluginLog kept(file);
        log(Level::kWarning, "of the host");
        CHECK_FALSE(std::filesystem::exists(file));
        tenon::log_of_plugin(Level::kDebug, "printed");
        tenon::log_of_plugin(Level::kWarning, "\x1b[2J");
    }
    tenon::log_of_plugin(Level::kInfo, "after");
    CHECK(tenon::test::slurp(file) == "printed\nwarning: \\x1b[2J\n");
    CHECK(captured.text() == "info: before\nwarning: of the host\nwarning: \\x1b[2J\ninfo: after\n");
}

TEST_CASE("the file of plugins ends at its limit, also over several runs of the same folder") {
    const tenon::test::CapturedStderr captured;
    const tenon::test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "log.txt";
    const std::string line(std::size_t{1} << 20U, 'x');
    for (int run = 0; run < 2; ++run) {
        const tenon::PluginLog kept(file);
        for (int i = 0; i < 12; ++i) {
            tenon::log_of_plugin(Level::kDebug, line);
        }
    }
    const std::string all = tenon::test::slurp(file);
    CHECK(all.size() < line.size() * 17);
    CHECK(all.ends_with("x\nwhat follows is left out: this file has 16 MiB\n"));
}

}  // namespace log_test
