// SPDX-License-Identifier: Apache-2.0
// Clients that send nonsense, too much, too slowly, or nothing.
#include <atomic>
#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <thread>

#include "client.hpp"
#include "shared/http/server.hpp"
#include "support/catch.hpp"

namespace tenon::hostile_test {

using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

const std::string kGood = "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n";

HttpServer serve(HttpLimits limits) {
    Result<HttpServer> server =
        HttpServer::open({.token = "secret", .limits = limits}, [](const HttpRequest&) -> HttpResponse {
            return {.with_body = [](const std::string&) { return HttpResponse{.body = "fine"}; }};
        });
    REQUIRE(server);
    return std::move(*server);
}

bool is_served(const HttpServer& server) {
    return ask(server.port(), "/", "Authorization: Bearer secret\r\n").ends_with("\r\n\r\nfine");
}

TEST_CASE("what is too large is refused before it is read") {
    const HttpServer server = serve({.header_bytes = 2048, .body_bytes = 1000});
    const std::string token = "Authorization: Bearer secret\r\n";
    CHECK_THAT(ask(server.port(), "/", token + "X: " + std::string(5000, 'x') + "\r\n"), StartsWith("HTTP/1.1 431 "));
    CHECK_THAT(ask(server.port(), "/" + std::string(5000, 'x'), token), StartsWith("HTTP/1.1 431 "));
    CHECK_THAT(ask(server.port(), "/", token + "Content-Length: 1000000000000\r\n", "POST"),
               StartsWith("HTTP/1.1 413 "));
    CHECK_THAT(ask(server.port(), "/", token + "Content-Length: 1001\r\n", "POST"), StartsWith("HTTP/1.1 413 "));
    CHECK_THAT(ask(server.port(), "/", token + "Transfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n", "POST"),
               StartsWith("HTTP/1.1 413 "));
    CHECK_THAT(ask(server.port(), "/", token + "Content-Length: -1\r\n", "POST"), StartsWith("HTTP/1.1 400 "));
    CHECK_THAT(ask(server.port(), "/../x", token), StartsWith("HTTP/1.1 400 "));
    CHECK_THAT(ask(server.port(), "/", token + "Host: localhost\r\n"), StartsWith("HTTP/1.1 400 "));
    CHECK(is_served(server));
}

TEST_CASE("a request whose end is not certain is refused") {
    const HttpServer server = serve({});
    for (const char* lines :
         {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
          "Transfer-Encoding: identity\r\nContent-Length: 4\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n",
          "Content-Length: +4\r\n"}) {
        INFO(lines);
        const Client client(server.port());
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n" + std::string(lines) +
                    "\r\n0\r\n\r\n" + kGood);
        client.end_sending();
        const std::string got = client.receive();
        CHECK_THAT(got, StartsWith("HTTP/1.1 400 "));
        CHECK(got.find("HTTP/1.1", 1) == std::string::npos);
    }
    for (const char* target : {"http://localhost/", "//localhost/", "*", "localhost:80"}) {
        CHECK_THAT(ask(server.port(), target, "Authorization: Bearer secret\r\n"), StartsWith("HTTP/1.1 400 "));
    }
    const Client without_host(server.port());
    without_host.send("GET / HTTP/1.1\r\nAuthorization: Bearer secret\r\nConnection: close\r\n\r\n");
    CHECK_THAT(without_host.receive(), StartsWith("HTTP/1.1 400 "));
}

TEST_CASE("slow and silent clients are dropped, and the others are served meanwhile") {
    const HttpServer server = serve({.stranger = milliseconds(300), .request = milliseconds(300)});
    const Client silent(server.port());
    const Client slow(server.port());
    std::atomic<bool> stop = false;
    std::thread drip([&] {
        for (std::size_t i = 0; i < kGood.size() - 2 && !stop; ++i) {
            slow.send(kGood.substr(i, 1));
            std::this_thread::sleep_for(milliseconds(50));
        }
    });
    const Client slow_body(server.port());
    slow_body.send("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nContent-Length: 9\r\n\r\nx");
    CHECK(is_served(server));
    CHECK(silent.is_dropped(kPatience));
    CHECK(slow.is_dropped(kPatience));
    CHECK(slow_body.is_dropped(kPatience));
    stop = true;
    drip.join();
    CHECK(is_served(server));
}

TEST_CASE("a client that does not read its response is dropped") {
    std::atomic<bool> ended = false;
    struct Ends {
        std::atomic<bool>* flag;
        ~Ends() { *flag = true; }
    };
    Result<HttpServer> server =
        HttpServer::open({.token = "secret", .limits = {.write = milliseconds(100)}}, [&](const HttpRequest&) {
            auto held = std::make_shared<Ends>(&ended);
            return HttpResponse{.pieces = [held] { return std::optional(std::string(1 << 20, 'x')); }};
        });
    REQUIRE(server);
    const Client client(server->port());
    client.send(kGood);
    CHECK(in_the_end([&] { return ended.load(); }));
}

TEST_CASE("connections without the token cannot keep others out") {
    const milliseconds long_time(600'000);
    const HttpServer server = serve({.connections = 4, .stranger = long_time, .request = long_time});
    const Client known(server.port());
    known.send(kGood);
    CHECK_THAT(known.receive_until("fine"), StartsWith("HTTP/1.1 200 "));
    std::deque<Client> crowd;
    for (int i = 0; i < 20; ++i) {
        crowd.emplace_back(server.port());
        crowd.back().send(i % 2 == 0 ? "" : kGood.substr(0, 40));
    }
    CHECK(is_served(server));
    CHECK(crowd.front().is_dropped(kPatience));
    known.send(kGood);
    CHECK_THAT(known.receive_until("fine"), StartsWith("HTTP/1.1 200 "));
}

TEST_CASE("connections beyond the limit are closed, and those with the token are served") {
    const HttpServer server = serve({.connections = 4, .request = kPatience});
    std::deque<Client> crowd;
    for (int i = 0; i < 4; ++i) {
        crowd.emplace_back(server.port());
        crowd.back().send(kGood);
        CHECK_THAT(crowd.back().receive_until("fine"), StartsWith("HTTP/1.1 200 "));
    }
    CHECK(Client(server.port()).is_dropped(kPatience));
    crowd.front().send(kGood);
    CHECK_THAT(crowd.front().receive_until("fine"), StartsWith("HTTP/1.1 200 "));
    crowd.clear();
    CHECK(in_the_end([&] { return is_served(server); }));
}

// A request with some bytes changed, removed, repeated or inserted.
std::string damaged(std::mt19937& random) {
    static const std::string kWords[] = {"\r\n",
                                         "%",
                                         "..",
                                         "/",
                                         "Content-Length: 7\r\n",
                                         "Transfer-Encoding: chunked\r\n",
                                         std::string("\0", 1),
                                         "\xff",
                                         "HTTP/9.9",
                                         ":",
                                         " ",
                                         "\r\n\r\n",
                                         "Host: x\r\n",
                                         "PRI * HTTP/2.0"};
    std::string text = kGood;
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) {
        text += text.empty() ? " " : "";
        const std::size_t at = below(text.size());
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, 1 + below(8));
                break;
            case 2:
                text.insert(at, text.substr(at, below(30)));
                break;
            case 3:
                text.resize(at + 1);
                break;
            default:
                text.insert(at, kWords[below(std::size(kWords))]);
                break;
        }
    }
    return text;
}

TEST_CASE("damaged requests get a response or nothing, and the server goes on") {
    const HttpServer server = serve({.request = milliseconds(200)});
    std::mt19937 random(20'240);
    for (int i = 0; i < 1500; ++i) {
        const std::string text = damaged(random);
        const Client client(server.port());
        client.send(text);
        client.end_sending();
        const std::string got = client.receive();
        INFO(text);
        REQUIRE((got.empty() || got.starts_with("HTTP/1.1 ")));
    }
    CHECK(is_served(server));
}

}  // namespace tenon::hostile_test
