// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.hpp"

#include <thread>
#include <vector>

#include "support/captured_stderr.hpp"
#include "support/catch.hpp"

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

}  // namespace log_test
