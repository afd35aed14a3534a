// SPDX-License-Identifier: Apache-2.0
// Requests to a running run, sent to this process itself.
#include "folder/records/requests.hpp"

#include <unistd.h>

#include <csignal>

#include "support/catch.hpp"

namespace requests_test {

using tenon::Level;
using tenon::RequestSignals;
using tenon::send_request;
using tenon::Sent;

TEST_CASE("a request reaches a process that handles it, once") {
    const RequestSignals signals;
    CHECK_FALSE(RequestSignals::take().evaluate);
    REQUIRE(send_request(getpid(), {.evaluate = true}) == Sent::kSent);
    const tenon::AskedOfRun first = RequestSignals::take();
    CHECK((first.evaluate && !first.level));
    CHECK_FALSE(RequestSignals::take().evaluate);
    for (const Level level : {Level::kDebug, Level::kError, Level::kOff}) {
        REQUIRE(send_request(getpid(), {.level = level}) == Sent::kSent);
        const tenon::AskedOfRun asked = RequestSignals::take();
        CHECK((!asked.evaluate && asked.level == level));
    }
    CHECK_FALSE(RequestSignals::take().level);
}

TEST_CASE("a signal without a number, or with another one, asks for nothing") {
    const RequestSignals signals;
    raise(SIGURG);
    for (const int number : {0, 2, -1, 15, 99}) {
        REQUIRE(sigqueue(getpid(), SIGURG, {.sival_int = number}) == 0);
    }
    const tenon::AskedOfRun asked = RequestSignals::take();
    CHECK((!asked.evaluate && !asked.level));
}

TEST_CASE("nothing is sent to a process that does not handle requests") {
    CHECK(send_request(getpid(), {.evaluate = true}) == Sent::kNotTaken);
    CHECK(send_request(1 << 30, {.evaluate = true}) == Sent::kNotTaken);
}

}  // namespace requests_test
