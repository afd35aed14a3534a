// SPDX-License-Identifier: Apache-2.0
#include "shared/http/server.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

#include "client.hpp"
#include "shared/http/answer_file.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::server_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

constexpr std::string_view kToken = "Authorization: Bearer secret\r\n";

HttpServer serve(HttpHandler handler, HttpLimits limits = {}) {
    Result<HttpServer> server = HttpServer::open({.token = "secret", .limits = limits}, std::move(handler));
    REQUIRE(server);
    return std::move(*server);
}

HttpResponse echo(const HttpRequest& request) {
    return {.with_body = [&request](const std::string& body) {
        return HttpResponse{.body = request.method + " " + request.path + " " + body};
    }};
}

std::string post(std::string_view more, std::string_view token = kToken) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(token) + std::string(more) + "\r\n";
}

TEST_CASE("a request reaches the handler, and its response the client") {
    const HttpServer server = serve(echo);
    const std::string got = ask(server.port(), "/a%20b", kToken, "POST", "hello");
    CHECK_THAT(got, StartsWith("HTTP/1.1 200 OK\r\n"));
    CHECK_THAT(got, EndsWith("\r\n\r\nPOST /a b hello"));
    CHECK_THAT(server.address(), ContainsSubstring("/?token=secret"));
}

TEST_CASE("every response has the headers that keep other sites away") {
    const HttpServer server = serve(echo);
    for (const std::string& got : {ask(server.port(), "/", kToken), ask(server.port(), "/"), ask(server.port(), "x")}) {
        CHECK_THAT(got, ContainsSubstring("Content-Security-Policy: default-src 'none'; "));
        CHECK_THAT(got, ContainsSubstring("X-Content-Type-Options: nosniff\r\n"));
        CHECK_THAT(got, ContainsSubstring("X-Frame-Options: DENY\r\n"));
        CHECK_THAT(got, ContainsSubstring("Referrer-Policy: no-referrer\r\n"));
        CHECK_THAT(got, ContainsSubstring("Cross-Origin-Resource-Policy: same-origin\r\n"));
    }
}

TEST_CASE("a connection serves several requests, also if they come together") {
    const HttpServer server = serve(echo);
    const Client client(server.port());
    const std::string one = "GET /one HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n";
    client.send(one + one);
    client.end_sending();
    const std::string got = client.receive();
    CHECK(got.find("GET /one ") != got.rfind("GET /one "));
}

TEST_CASE("a port that is taken is a problem") {
    const HttpServer server = serve(echo);
    const auto second = HttpServer::open({.port = server.port(), .token = "secret"}, echo);
    REQUIRE_FALSE(second);
    CHECK(second.error().fault == Fault::kInput);
    CHECK(second.error().sentence == "port " + std::to_string(server.port()) +
                                         " is taken by another program; give another --port, or 0 for a free one");
}

TEST_CASE("a response may come later, from another thread, while others are served") {
    std::promise<HttpReply> asked;
    HttpServer server = serve([&](const HttpRequest& request) -> HttpResponse {
        if (request.path != "/later") {
            return echo(request);
        }
        return {.later = [&](HttpReply reply) { asked.set_value(std::move(reply)); }};
    });
    const Client client(server.port());
    client.send("GET /later HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n");
    HttpReply reply = asked.get_future().get();
    CHECK_THAT(ask(server.port(), "/now", kToken), EndsWith("GET /now "));
    std::thread([&] { reply({.status = 202, .body = "at last"}); }).join();
    client.send("GET /next HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nConnection: close\r\n\r\n");
    const std::string got = client.receive();
    CHECK_THAT(got, StartsWith("HTTP/1.1 202 "));
    CHECK_THAT(got, ContainsSubstring("\r\n\r\nat lastHTTP/1.1 200 OK\r\n"));
    CHECK_THAT(got, EndsWith("GET /next "));
    server.stop();
    reply({.body = "too late"});  // nobody gets it
}

TEST_CASE("a server that stops does not wait for a response that comes later") {
    std::promise<HttpReply> asked;
    {
        const HttpServer server = serve([&](const HttpRequest&) -> HttpResponse {
            return {.later = [&](HttpReply reply) { asked.set_value(std::move(reply)); }};
        });
        const Client client(server.port());
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n");
        static_cast<void>(asked.get_future().get());
    }
    SUCCEED();
}

TEST_CASE("a Unix socket is its owner's alone, needs no token, and is gone at the end") {
    const test::ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "socket";
    {
        Result<HttpServer> server = HttpServer::open({.port = std::nullopt, .token = "secret", .socket = path}, echo);
        REQUIRE(server);
        CHECK(server->port() == 0);
        CHECK(server->address().empty());
        CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::mask) ==
              (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
        const Client client(path);
        client.send("GET /it HTTP/1.1\r\nConnection: close\r\n\r\n");
        CHECK_THAT(client.receive(), EndsWith("\r\n\r\nGET /it "));
        const auto second = HttpServer::open({.port = std::nullopt, .token = "secret", .socket = path}, echo);
        REQUIRE_FALSE(second);
        CHECK(second.error().fault == Fault::kInput);
        CHECK(second.error().sentence ==
              path.string() + " exists already; give another path for the socket, or remove it if no server uses it");
        CHECK(std::filesystem::exists(path));
    }
    CHECK_FALSE(std::filesystem::exists(path));
    const auto nowhere =
        HttpServer::open({.port = std::nullopt, .token = "secret", .socket = folder.path() / "missing/socket"}, echo);
    REQUIRE_FALSE(nowhere);
    CHECK_THAT(nowhere.error().sentence, StartsWith("cannot make the socket "));
}

TEST_CASE("a client that sends far too much still learns why it is refused") {
    const HttpServer server = serve(echo, {.body_bytes = 1000});
    const Client client(server.port());
    client.send(post("Content-Length: 100000000\r\n"));
    client.send(std::string(3'000'000, 'x'));
    client.end_sending();
    CHECK_THAT(client.receive(), StartsWith("HTTP/1.1 413 "));
    const Client without_token(server.port());
    without_token.send(post("Content-Length: 900\r\n", ""));
    without_token.send(std::string(900, 'x'));
    CHECK_THAT(without_token.receive(), StartsWith("HTTP/1.1 401 "));
}

TEST_CASE("a body is asked for once its request is accepted, and not read otherwise") {
    const HttpServer server = serve(echo, {.body_bytes = 1000});
    constexpr std::string_view kLength = "Content-Length: 5\r\nExpect: 100-continue\r\n";
    const Client accepted(server.port());
    accepted.send(post(kLength));
    CHECK(accepted.receive_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    accepted.send("hello");
    CHECK_THAT(accepted.receive_until("hello"), StartsWith("HTTP/1.1 200 "));
    accepted.send(post("Content-Length: 1001\r\nExpect: 100-continue\r\n"));  // the same connection
    CHECK_THAT(accepted.receive(), StartsWith("HTTP/1.1 413 "));

    const Client without_token(server.port());
    without_token.send(post("Content-Length: 1001\r\nExpect: 100-continue\r\n", ""));
    CHECK_THAT(without_token.receive(), StartsWith("HTTP/1.1 401 "));

    const HttpServer reader = serve([](const HttpRequest&) { return HttpResponse{.status = 405}; });
    const Client unwanted(reader.port());
    unwanted.send(post("Content-Length: 1000000000000\r\n"));
    CHECK_THAT(unwanted.receive(), StartsWith("HTTP/1.1 405 "));
}

TEST_CASE("a body may come in chunks") {
    const HttpServer server = serve(echo, {.body_bytes = 1000});
    const std::string chunked = post("Transfer-Encoding: chunked\r\nConnection: close\r\n");
    const Client client(server.port());
    client.send(chunked + "3\r\nhel\r\n");
    client.send("2;extension=1\r\nlo\r\n0\r\nHost: evil.example\r\n\r\n");
    CHECK_THAT(client.receive(), EndsWith("\r\n\r\nPOST / hello"));
    const Client large(server.port());
    large.send(chunked + "3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n");
    CHECK_THAT(large.receive(), StartsWith("HTTP/1.1 413 "));
}

TEST_CASE("bodies of all requests together are bounded until they are answered") {
    std::promise<HttpReply> asked;
    const HttpServer server = serve(
        [&](const HttpRequest& request) -> HttpResponse {
            return request.path == "/" ? echo(request) : HttpResponse{.with_body = [&](const std::string&) {
                return HttpResponse{.later = [&](HttpReply reply) { asked.set_value(std::move(reply)); }};
            }};
        },
        {.body_bytes = 800, .all_body_bytes = 1000});
    const auto status_of = [&](std::string_view body) {
        return ask(server.port(), "/", kToken, "POST", body).substr(9, 3);
    };
    const Client slow(server.port());
    slow.send(post("Content-Length: 800\r\nExpect: 100-continue\r\n"));
    CHECK_THAT(slow.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
    CHECK(status_of(std::string(201, 'x')) == "503");
    CHECK(status_of(std::string(200, 'x')) == "200");
    const Client chunked(server.port());
    chunked.send(post("Transfer-Encoding: chunked\r\n") + "c8\r\n" + std::string(200, 'x') + "\r\n1\r\nx\r\n");
    const std::string refused = chunked.receive();
    CHECK_THAT(refused, StartsWith("HTTP/1.1 503 "));
    CHECK_THAT(refused, EndsWith("{\"error\":\"the bodies of other requests take all memory that this server has for "
                                 "them; ask again later\"}\n"));
    slow.send(std::string(800, 'x'));
    CHECK_THAT(slow.receive_until("x"), StartsWith("HTTP/1.1 200 "));
    CHECK(status_of(std::string(800, 'x')) == "200");

    const Client later(server.port());
    later.send("POST /later HTTP/1.1\r\nHost: localhost\r\n" + std::string(kToken) + "Content-Length: 800\r\n\r\n" +
               std::string(800, 'x'));
    const HttpReply reply = asked.get_future().get();
    CHECK(status_of(std::string(201, 'x')) == "503");
    reply({.body = "at last"});
    CHECK_THAT(later.receive_until("at last"), StartsWith("HTTP/1.1 200 "));
}

TEST_CASE("a declared length takes no memory") {
    const HttpServer server = serve(echo, {.body_bytes = UINT64_MAX, .all_body_bytes = UINT64_MAX});
    const Client client(server.port());
    client.send(post("Content-Length: 100000000000000\r\nExpect: 100-continue\r\n"));
    CHECK_THAT(client.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
    client.send("hello");
    CHECK_THAT(ask(server.port(), "/now", kToken), EndsWith("GET /now "));
}

TEST_CASE("an event stream is sent as its pieces appear, and ends with them") {
    auto count = std::make_shared<int>(0);
    const HttpServer server = serve(
        [&](const HttpRequest&) {
            return event_stream([count]() -> std::optional<std::string> {
                ++*count;
                return *count == 1  ? std::optional<std::string>("")
                       : *count < 4 ? std::optional(server_event("n", std::to_string(*count)))
                                    : std::nullopt;
            });
        },
        {.poll = milliseconds(5)});
    CHECK_THAT(ask(server.port(), "/", kToken),
               EndsWith("\r\n\r\nretry: 1000\n\nevent: n\ndata: 2\n\nevent: n\ndata: 3\n\n"));
}

TEST_CASE("a stream without events shows that it is still there") {
    auto count = std::make_shared<int>(0);
    const HttpServer server = serve(
        [&](const HttpRequest&) {
            return event_stream([count] { return ++*count < 20 ? std::optional<std::string>("") : std::nullopt; });
        },
        {.poll = milliseconds(5), .silence = milliseconds(20)});
    CHECK_THAT(ask(server.port(), "/", kToken), ContainsSubstring(": still here\n\n"));
}

TEST_CASE("a file is sent whole or in part, and a link never") {
    const test::ScratchFolder folder;
    const auto path = folder.path() / "video.mp4";
    std::string bytes(200'000, 'x');
    bytes.replace(100'000, 5, "hello");
    std::ofstream(path) << bytes;
    std::filesystem::create_symlink("/etc/passwd", folder.path() / "link.mp4");
    const HttpServer server = serve([&](const HttpRequest& request) {
        return answer_file(folder.path() / request.path.substr(1), "video/mp4", request);
    });
    CHECK_THAT(ask(server.port(), "/video.mp4", kToken), EndsWith("\r\n\r\n" + bytes));
    const std::string part = ask(server.port(), "/video.mp4", std::string(kToken) + "Range: bytes=100000-100004\r\n");
    CHECK_THAT(part, StartsWith("HTTP/1.1 206 "));
    CHECK_THAT(part, ContainsSubstring("Content-Range: bytes 100000-100004/200000\r\n"));
    CHECK_THAT(part, EndsWith("\r\n\r\nhello"));
    CHECK_THAT(ask(server.port(), "/video.mp4", std::string(kToken) + "Range: bytes=200000-\r\n"),
               StartsWith("HTTP/1.1 416 "));
    CHECK_THAT(ask(server.port(), "/video.mp4", std::string(kToken) + "Range: bytes=5-1\r\n"),
               StartsWith("HTTP/1.1 200 "));
    CHECK_THAT(ask(server.port(), "/link.mp4", kToken), StartsWith("HTTP/1.1 404 "));
    CHECK_THAT(ask(server.port(), "/missing", kToken), StartsWith("HTTP/1.1 404 "));
    const std::string head = ask(server.port(), "/video.mp4", kToken, "HEAD");
    CHECK_THAT(head, ContainsSubstring("Content-Length: 200000\r\n"));
    CHECK_THAT(head, EndsWith("\r\n\r\n"));
}

}  // namespace tenon::server_test
