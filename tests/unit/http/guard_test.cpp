// SPDX-License-Identifier: Apache-2.0
#include "shared/http/guard.hpp"

#include <sys/stat.h>

#include <fstream>

#include "shared/http/token.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::guard_test {

const HttpGuard kGuard{.token = "secret", .cookie = "tenon-80"};
const HttpGuard kOpen{.token = "secret", .cookie = "tenon-80", .open_to_network = true, .machine = "Box"};

int status(const HttpGuard& guard, HttpSender sender, HttpRequest request = {.method = "GET", .path = "/"}) {
    sender.host = sender.host.empty() ? "127.0.0.1:80" : sender.host;
    const auto stopped = stopped_at(guard, sender, request);
    return stopped ? stopped->status : 200;
}

TEST_CASE("a client has to know the token") {
    CHECK(status(kGuard, {}) == 401);
    CHECK(status(kGuard, {.cookie = "tenon-80=wrong!"}) == 401);
    CHECK(status(kGuard, {.cookie = "tenon-8080=secret"}) == 401);
    CHECK(status(kGuard, {.cookie = "xtenon-80=secret"}) == 401);
    CHECK(status(kGuard, {.cookie = "a=b; tenon-80=secret"}) == 200);
    CHECK(status(kGuard, {.authorization = "Bearer secret"}) == 200);
    CHECK(status(kGuard, {.authorization = "Bearer secre"}) == 401);
    CHECK(status(kGuard, {}, {.method = "GET", .path = "/", .query = {{"token", "secret"}}}) == 200);
    CHECK(status(kGuard, {}, {.method = "GET", .path = "/", .query = {{"token", "secrets"}}}) == 401);
}

TEST_CASE("a browser gets a cookie for the token in its address") {
    const auto response = stopped_at(kGuard, {.host = "localhost:80", .accept = "text/html,*/*"},
                                     {.method = "GET", .path = "/", .query = {{"token", "secret"}}});
    REQUIRE(response);
    CHECK(response->status == 303);
    CHECK(response->headers[0].second == "/");
    CHECK(response->headers[1].second == "tenon-80=secret; Path=/; HttpOnly; SameSite=Strict");
}

TEST_CASE("names that another site may have given to this machine are refused") {
    const auto with_host = [](const HttpGuard& guard, std::string_view host) {
        return status(guard, {.host = host, .authorization = "Bearer secret"});
    };
    for (const char* host : {"localhost", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80"}) {
        INFO(host);
        CHECK(with_host(kGuard, host) == 200);
        CHECK(with_host(kOpen, host) == 200);
    }
    for (const char* host : {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.0.7", "box"}) {
        INFO(host);
        CHECK(with_host(kGuard, host) == 421);
    }
    for (const char* host : {"192.168.0.7:80", "[fe80::1]:80", "box", "Box.local:80"}) {
        INFO(host);
        CHECK(with_host(kOpen, host) == 200);
    }
    for (const char* host : {"evil.example", "box.evil.example", "127.0.0.1.evil.example"}) {
        INFO(host);
        CHECK(with_host(kOpen, host) == 421);
    }
}

TEST_CASE("what is no name with a port is no name of this server") {
    for (const char* host : {"[::1].evil.example", "[::1]evil.example:80", "localhost:1@evil.example",
                             "localhost:80:80", "localhost:", "localhost:+1", "localhost:123456", "127.0.0.1:80/",
                             "localhost ", "::1", "[::1", "[]", "[evil.example]", "[", ":80", "1.2.3.4.5", "0x7f.1"}) {
        INFO(host);
        CHECK(status(kGuard, {.host = host, .authorization = "Bearer secret"}) == 421);
        CHECK(status(kOpen, {.host = host, .authorization = "Bearer secret"}) == 421);
    }
    const auto stopped = stopped_at(kGuard, {.authorization = "Bearer secret"}, {.method = "GET", .path = "/"});
    REQUIRE(stopped);
    CHECK(stopped->status == 400);
}

TEST_CASE("pages of other sites are refused, even if the browser has the cookie") {
    const std::string_view cookie = "tenon-80=secret";
    CHECK(status(kGuard, {.origin = "http://127.0.0.1:80", .cookie = cookie}) == 200);
    for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:81", "http://127.0.0.1", "x"}) {
        CHECK(status(kGuard, {.origin = origin, .cookie = cookie}) == 403);
    }
    CHECK(status(kGuard, {.cookie = cookie, .site = "same-origin"}) == 200);
    CHECK(status(kGuard, {.cookie = cookie, .site = "none", .mode = "navigate"}) == 200);
    CHECK(status(kGuard, {.cookie = cookie, .site = "cross-site", .mode = "no-cors"}) == 403);
    CHECK(status(kGuard, {.cookie = cookie, .site = "same-site", .mode = "cors"}) == 403);
    CHECK(status(kGuard, {.cookie = cookie, .site = "cross-site", .mode = "navigate"}) == 200);
    CHECK(status(kGuard, {.cookie = cookie, .site = "cross-site", .mode = "navigate"},
                 {.method = "POST", .path = "/"}) == 403);
}

TEST_CASE("a token is kept in a file that only its owner can read") {
    const test::ScratchFolder folder;
    const auto path = folder.path() / "state" / "token";
    const auto token = kept_token(path);
    REQUIRE(token);
    CHECK(token->size() == 32);
    CHECK(*kept_token(path) == *token);
    struct stat info{};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0600);
    CHECK(*make_token() != *make_token());

    SECTION("one that others could have read is replaced") {
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        CHECK(*kept_token(path) != *token);
    }
    SECTION("one that is damaged is replaced") {
        std::ofstream(path) << "short";
        CHECK(kept_token(path)->size() == 32);
    }
}

}  // namespace tenon::guard_test
