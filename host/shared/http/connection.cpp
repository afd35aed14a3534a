// SPDX-License-Identifier: Apache-2.0
// Each connection is a coroutine on a strand: it reads a request, calls the handler and writes the response.
#include "shared/http/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "shared/http/target.hpp"

namespace tenon {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Parser = http::request_parser<http::string_body>;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

// What every response says to a browser: nothing of other sites, in no frame of other sites, no guessing of types.
constexpr std::array<std::pair<http::field, const char*>, 2> kHeaders = {{
    {http::field::x_frame_options, "DENY"},
    {http::field::cache_control, "no-store"},
}};
constexpr std::array<std::pair<const char*, const char*>, 5> kNewerHeaders = {{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
     "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};

int status_of(beast::error_code error) {
    if (error == http::error::body_limit) {
        return 413;
    }
    return error == http::error::header_limit ? 431 : 400;
}

std::string_view sentence_of(int status) {
    return status == 413   ? "the body of the request is larger than this server takes"
           : status == 431 ? "the header of the request is larger than this server takes"
                           : "this is no HTTP request";
}

constexpr std::chrono::milliseconds kMostDraining{2000};

void set_headers(http::response_header<>& header, const HttpResponse& response) {
    for (const auto& [name, value] : kHeaders) {
        header.set(name, value);
    }
    for (const auto& [name, value] : kNewerHeaders) {
        header.set(name, value);
    }
    header.set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) {
        header.set(name, value);
    }
}

// Suspends the connection until the response is sent to the reply.
asio::awaitable<HttpResponse> response_of(std::function<void(HttpReply)> later) {
    const auto executor = co_await asio::this_coro::executor;
    const auto begin = [&later, &executor](auto&& resume) {
        using Resume = std::decay_t<decltype(resume)>;
        auto kept = std::make_shared<Resume>(std::forward<decltype(resume)>(resume));  // a function is copied
        later([executor, kept](HttpResponse response) {
            asio::post(executor, [kept, response = std::move(response)]() mutable {
                Resume once = std::move(*kept);
                std::move(once)(std::move(response));
            });
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(HttpResponse)>(begin,
                                                                                                asio::use_awaitable);
}

struct Connection {
    const HttpServed& served;
    bool local;
    Stream stream;

    [[nodiscard]] const HttpLimits& limits() const { return served.options.limits; }
    [[nodiscard]] HttpResponse answer(Parser::value_type& message) const;
    asio::awaitable<void> serve();
    asio::awaitable<bool> write(HttpResponse response, bool keep, bool head);
    asio::awaitable<bool> write_pieces(HttpResponse& response);
    asio::awaitable<bool> send(std::string_view bytes);
    asio::awaitable<void> drain();
};

HttpResponse Connection::answer(Parser::value_type& message) const {
    const auto header = [&](http::field name) { return view(message[name]); };
    const auto newer = [&](const char* name) { return view(message[name]); };
    std::optional<HttpTarget> target = read_target(view(message.target()));
    if (!target) {
        return refusal(400, "this is no path of this server");
    }
    HttpRequest request{.method = std::string(view(message.method_string())),
                        .path = std::move(target->path),
                        .query = std::move(target->query),
                        .type = std::string(header(http::field::content_type)),
                        .range = std::string(header(http::field::range)),
                        .body = std::move(message.body())};
    if (request.method == "HEAD") {
        request.method = "GET";
    }
    const HttpSender sender{.host = header(http::field::host),
                            .origin = header(http::field::origin),
                            .cookie = header(http::field::cookie),
                            .authorization = header(http::field::authorization),
                            .accept = header(http::field::accept),
                            .site = newer("Sec-Fetch-Site"),
                            .mode = newer("Sec-Fetch-Mode")};
    if (message.count(http::field::host) > 1) {
        return refusal(400, "the request names two hosts");
    }
    // The file of a Unix socket is as private as the token, and no page of a browser can open it.
    if (std::optional<HttpResponse> stopped = local ? std::nullopt : stopped_at(served.guard, sender, request)) {
        return std::move(*stopped);
    }
    try {
        return served.handler(request);
    } catch (const std::exception&) {  // out of memory: the others are still served
        return refusal(500, "the server could not answer this request");
    }
}

asio::awaitable<bool> Connection::send(std::string_view bytes) {
    constexpr std::size_t kBlock = std::size_t{1} << 18U;  // each has its own time, so a slow network may take longer
    while (!bytes.empty()) {
        const std::string_view block = bytes.substr(0, kBlock);
        stream.expires_after(limits().write);
        const auto [error, sent] = co_await asio::async_write(stream, asio::buffer(block), kNoThrow);
        if (error) {
            co_return false;
        }
        bytes.remove_prefix(block.size());
    }
    co_return true;
}

asio::awaitable<bool> Connection::write_pieces(HttpResponse& response) {
    asio::steady_timer timer(stream.get_executor());
    auto sent_at = std::chrono::steady_clock::now();
    for (;;) {
        std::optional<std::string> piece = response.pieces();
        if (!piece) {
            co_return true;
        }
        if (piece->empty() && !response.length && std::chrono::steady_clock::now() - sent_at > limits().silence) {
            *piece = ": still here\n\n";
        }
        if (piece->empty()) {
            timer.expires_after(limits().poll);
            co_await timer.async_wait(kNoThrow);
            continue;
        }
        if (!co_await send(*piece)) {
            co_return false;
        }
        sent_at = std::chrono::steady_clock::now();
    }
}

asio::awaitable<bool> Connection::write(HttpResponse response, bool keep, bool head) {
    constexpr std::size_t kSmall = std::size_t{1} << 16U;  // goes with the header in one packet, or a few
    http::response<http::string_body> message{static_cast<http::status>(response.status), 11};
    set_headers(message, response);
    const bool has_length = !response.pieces || response.length;
    if (has_length) {
        message.content_length(response.pieces ? *response.length : response.body.size());
    }
    const bool keeps = keep && has_length;
    message.keep_alive(keeps);
    if (!head && response.body.size() <= kSmall) {
        message.body() = std::exchange(response.body, {});
    }
    http::response_serializer<http::string_body> serializer(message);
    stream.expires_after(limits().write);
    const auto [error, sent] = co_await http::async_write(stream, serializer, kNoThrow);
    if (error) {
        co_return false;
    }
    if (!head && !co_await send(response.body)) {
        co_return false;
    }
    const bool whole = head || !response.pieces || co_await write_pieces(response);
    co_return keeps&& whole;
}

// A client that is still sending would otherwise lose the refusal, because closing resets its connection.
asio::awaitable<void> Connection::drain() {
    std::array<char, 65'536> block{};
    beast::error_code ignored;
    ignored = stream.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    stream.expires_after(std::min(limits().request, kMostDraining));
    for (;;) {
        const auto [error, got] = co_await stream.async_read_some(asio::buffer(block), kNoThrow);
        if (error) {
            co_return;
        }
    }
}

asio::awaitable<void> Connection::serve() {
    beast::flat_buffer buffer(limits().header_bytes + 4096);
    for (std::size_t i = 0; i < limits().requests; ++i) {
        Parser parser;
        parser.header_limit(limits().header_bytes);
        parser.body_limit(limits().body_bytes);
        stream.expires_after(limits().request);
        const auto [error, got] = co_await http::async_read(stream, buffer, parser, kNoThrow);
        if (error) {
            // Silent and slow clients, and those that have left, get nothing.
            if (error.category() == make_error_code(http::error::bad_method).category() &&
                error != http::error::end_of_stream && error != http::error::partial_message) {
                const int status = status_of(error);
                if (co_await write(refusal(status, sentence_of(status)), false, false)) {
                    co_await drain();
                }
            }
            break;
        }
        const bool head = parser.get().method() == http::verb::head;
        const bool keep = parser.get().keep_alive();
        HttpResponse response = answer(parser.get());
        if (response.later) {
            response = co_await response_of(std::move(response.later));
        }
        if (!co_await write(std::move(response), keep, head)) {
            break;
        }
    }
    beast::error_code ignored;
    ignored = stream.socket().shutdown(asio::socket_base::shutdown_send, ignored);
}

}  // namespace

asio::awaitable<void> serve_connection(HttpSocket socket, bool local, const HttpServed& served) {
    Connection connection{served, local, Stream(std::move(socket))};
    co_await connection.serve();
}

}  // namespace tenon
