// SPDX-License-Identifier: Apache-2.0
// The requests of clients and the server's responses, as plain values, so that a route is a function and a test needs
// no socket.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

struct HttpRequest {
    std::string method{};  // "GET"
    std::string path{};    // decoded: "/api/runs", never with "." or ".." in it
    std::map<std::string, std::string, std::less<>> query{};
    std::string type{};   // of the body: "application/json"
    std::string range{};  // the header Range
};

// The next piece of a body. Empty: nothing yet, ask again soon. None: the body is complete.
using HttpPieces = std::function<std::optional<std::string>()>;

struct HttpResponse;

// Where the response to a request is sent when it is known: once, from any thread.
using HttpReply = std::function<void(HttpResponse)>;

struct HttpResponse {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    HttpPieces pieces{};                    // after `body`, if there are any
    std::optional<std::uint64_t> length{};  // of the whole body, if there are pieces; none: until the connection ends
    // If set, it replaces all other members: the body of the request is read, and this function makes the response from
    // it. The request exists until then. A body that no response asks for is not read, and its connection closes.
    std::function<HttpResponse(std::string)> with_body{};
    // If set, it replaces all other members: the response comes later, and the thread serves other connections until
    // then. Called at once; the reply must not be called after the server has been destroyed.
    std::function<void(HttpReply)> later{};
};

// Called once the header of a request has arrived, on the threads of the server, and by several of them at once if the
// server has several.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

HttpResponse json_response(std::string body, int status = 200);
// {"error": SENTENCE}, for people and for scripts.
HttpResponse refusal(int status, std::string_view sentence);
// A stream of server-sent events; `next` returns whole events, made by server_event.
HttpResponse event_stream(HttpPieces next);
std::string server_event(std::string_view name, std::string_view data);

}  // namespace tenon
