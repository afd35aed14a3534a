// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server for one user: everything that a client can make it spend is bounded. Routes are one handler,
// which sees only requests that have passed the guard.
//
//     Result<HttpServer> server = HttpServer::open({.port = 8080, .token = token}, handler);
//     server->address()       "http://127.0.0.1:8080/?token=..."
//     ...                     it serves on its own threads until stop, or until it is destroyed
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "shared/http/message.hpp"

namespace tenon {

struct HttpLimits {
    std::uint32_t header_bytes = 8192;
    std::uint64_t body_bytes = 65'536;
    std::uint64_t all_body_bytes = std::uint64_t{4} << 20U;  // of all requests that are not answered yet
    // If all are in use, a new connection replaces the oldest one whose client has not shown the token; if there is
    // none, the new one is closed.
    std::size_t connections = 64;
    std::size_t requests = 10'000;              // of one connection
    std::chrono::milliseconds stranger{5'000};  // until a header is complete, if its client has not shown the token
    std::chrono::milliseconds request{10'000};  // until a header is complete, and then until its body is
    std::chrono::milliseconds write{20'000};    // until the client has taken a piece of the response
    std::chrono::milliseconds poll{250};        // how often pieces are asked for if there are none yet
    std::chrono::milliseconds silence{15'000};  // after which an event stream sends a comment to show that it is alive
};

struct HttpOptions {
    std::optional<std::uint16_t> port = 0;  // 0: a free one; none: only the socket
    bool open_to_network = false;           // otherwise loopback only
    std::string token;
    // A Unix socket as well, in a file that must not exist and that only this user can open, so it needs no token.
    // Empty: none. It is removed at the end.
    std::filesystem::path socket = {};
    int threads = 1;  // threads that call the handler
    HttpLimits limits{};
};

class HttpServer {
public:
    // Listens and serves. A port that is taken is the user's mistake, and so is a file of the socket that exists.
    static Result<HttpServer> open(const HttpOptions& options, HttpHandler handler);

    HttpServer(HttpServer&&) noexcept;
    HttpServer& operator=(HttpServer&&) = delete;
    ~HttpServer();

    // The port; 0: it listens on no port.
    [[nodiscard]] std::uint16_t port() const;
    // The address with the token, for a browser. Empty: it listens on no port.
    [[nodiscard]] std::string address() const;

    // Closes all connections. Waits for handlers that are running.
    void stop();

private:
    struct State;
    explicit HttpServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace tenon
