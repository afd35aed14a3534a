// SPDX-License-Identifier: Apache-2.0
#include "quarantine/attempt.hpp"

#include "support/catch.hpp"

namespace {

using namespace tenon;

using enum Attempt::Outcome;

Attempt attempt(const std::string& fixture, double seconds = 60) {
    return try_loading(std::filesystem::path(TENON_FIXTURE_PLUGINS) / (fixture + ".so"), seconds);
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
    CHECK(attempt("exits_in_init").text == "ended by itself with exit code 7 in init");
    const Attempt crashed = attempt("crashes_in_init");
    CHECK(crashed.outcome == kEnded);
    CHECK(crashed.text.rfind("was ended by SIGSEGV in init", 0) == 0);  // sanitizers say more
}

TEST_CASE("a file that does not come back is ended") {
    const Attempt tried = attempt("hangs_in_init", 0.5);
    CHECK(tried.outcome == kEnded);
    CHECK(tried.text == "did not answer within 0.5 s and was ended in init");
}

}  // namespace
