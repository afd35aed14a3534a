// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/attempt.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "support/catch.hpp"

namespace attempt_test {

namespace {

using namespace tenon;

using enum Attempt::Outcome;

Attempt attempt(const std::string& fixture, double seconds = 60) {
    return try_loading(std::filesystem::path(TENON_FIXTURE_PLUGINS) / (fixture + ".so"), seconds);
}

// The process that has mapped that file, once there is one; 0 where it is too late.
pid_t process_with(const std::string& fixture, const std::stop_token& too_late) {
    while (!too_late.stop_requested()) {
        std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
        for (pid_t id = 0; children >> id;) {
            std::ifstream maps("/proc/" + std::to_string(id) + "/maps");
            const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
            if (mapped.find("/" + fixture + ".so") != std::string::npos) {
                return id;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return 0;
}

TEST_CASE("a file that can be loaded is sound") {
    const Attempt tried = attempt("sound");
    CHECK(tried.outcome == kSound);
    CHECK(tried.text.empty());
}

TEST_CASE("a file that refuses in an orderly way has ended nothing") {
    CHECK(attempt("failing_init").outcome == kRefused);
    CHECK(attempt("failing_init").text == "failing_init, init: no licence found");
    CHECK(attempt("undefined_symbol").outcome == kRefused);
    CHECK(attempt("lost_component").outcome == kRefused);
    CHECK(attempt("no_note").outcome == kRefused);
    CHECK(attempt("there_is_none").outcome == kRefused);
}

TEST_CASE("a file that ends its process is told with how, and where") {
    CHECK(attempt("aborts").outcome == kEnded);
    CHECK(attempt("aborts").text == "was ended by SIGABRT");
    CHECK(attempt("exits_in_init").outcome == kEnded);
    CHECK(attempt("exits_in_init").text == "exited with code 7 in init");
    const Attempt crashed = attempt("crashes_in_init");
    CHECK(crashed.outcome == kEnded);
    CHECK(crashed.text.rfind("was ended by SIGSEGV in init", 0) == 0);  // sanitizers say more
}

TEST_CASE("a file that does not come back is ended") {
    const Attempt tried = attempt("hangs_in_init", 0.5);
    CHECK(tried.outcome == kEnded);
    CHECK(tried.text == "did not answer within 0.5 s and was ended in init");
}

TEST_CASE("a process that somebody else ends says nothing of its file") {
    const std::jthread killer([](const std::stop_token& too_late) {
        if (const pid_t id = process_with("hangs_in_init", too_late); id != 0) {
            ::kill(id, SIGKILL);
        }
    });
    const Attempt tried = attempt("hangs_in_init");
    CHECK(tried.outcome == kStopped);
    CHECK(tried.text == "was ended by SIGKILL");
}

}  // namespace

}  // namespace attempt_test
