// SPDX-License-Identifier: Apache-2.0
// Each connection is a coroutine on a strand: it reads a request, calls the handler and writes the response.
#include "shared/http/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
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
#include <tuple>
#include <type_traits>
#include <utility>

#include "shared/http/shared_body.hpp"
#include "shared/http/target.hpp"

namespace tenon {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Parser = http::request_parser<SharedBody>;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

// Headers of every response, which tell a browser: load nothing from other sites, show nothing in frames of other
// sites, guess no types.
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

// The response if a request could not be read. None: its client has left, or was silent or slow.
std::optional<HttpResponse> refusal_of(beast::error_code error) {
    if (error == no_room()) {
        return refusal(503,
                       "the bodies of other requests take all memory that this server has for them; ask again later");
    }
    if (error == http::error::body_limit) {
        return refusal(413, "the body of the request is larger than this server takes");
    }
    if (error == http::error::header_limit) {
        return refusal(431, "the header of the request is larger than this server takes");
    }
    if (error.category() != make_error_code(http::error::bad_method).category() ||
        error == http::error::end_of_stream || error == http::error::partial_message) {
        return std::nullopt;
    }
    return refusal(400, "this is no HTTP request");
}

constexpr std::chrono::milliseconds kMostDraining{2000};
constexpr std::size_t kMostDrained = std::size_t{4} << 20U;

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

// Catches exceptions, for example if memory runs out, so that other connections are still served.
template <class Call>
HttpResponse response_or_refusal(const Call& call) {
    try {
        return call();
    } catch (const std::exception&) {
        return refusal(500, "the server could not answer this request");
    }
}

struct Connection {
    HttpServed& served;
    bool local;
    Stream stream;
    std::unique_ptr<ConnectionPlaces::Place> place = {};
    bool known = local;  // the file of a Unix socket is as private as the token, and no page of a browser can open it
    beast::flat_buffer buffer = beast::flat_buffer(limits().header_bytes + 4096);

    [[nodiscard]] const HttpLimits& limits() const { return served.options.limits; }
    asio::awaitable<void> serve();
    asio::awaitable<beast::error_code> read_header(Parser& parser);
    [[nodiscard]] std::optional<HttpResponse> stopped(const Parser::value_type& message, const HttpRequest& request);
    asio::awaitable<beast::error_code> read_body(Parser& parser);
    asio::awaitable<bool> write(HttpResponse response, bool keep, bool head);
    asio::awaitable<bool> write_pieces(HttpResponse& response);
    asio::awaitable<bool> send(std::string_view bytes);
    asio::awaitable<void> drain();
};

asio::awaitable<beast::error_code> Connection::read_header(Parser& parser) {
    parser.header_limit(limits().header_bytes);
    parser.body_limit(boost::none);  // read_body checks the length, after the token
    stream.expires_after(known ? limits().request : limits().stranger);
    const auto [error, got] = co_await http::async_read_header(stream, buffer, parser, kNoThrow);
    // If Beast does not know a body's encoding, it reads no body, and takes its bytes for the next request.
    const bool unknown = !error && parser.get().count(http::field::transfer_encoding) > 0 && !parser.chunked();
    co_return unknown ? make_error_code(http::error::bad_transfer_encoding) : error;
}

std::optional<HttpRequest> request_of(const Parser::value_type& message) {
    std::optional<HttpTarget> target = read_target(view(message.target()));
    if (!target) {
        return std::nullopt;
    }
    const bool head = message.method() == http::verb::head;
    return HttpRequest{.method = head ? "GET" : std::string(view(message.method_string())),
                       .path = std::move(target->path),
                       .query = std::move(target->query),
                       .type = std::string(view(message[http::field::content_type])),
                       .range = std::string(view(message[http::field::range]))};
}

// The response to a request that does not reach the handler.
std::optional<HttpResponse> Connection::stopped(const Parser::value_type& message, const HttpRequest& request) {
    if (message.count(http::field::host) > 1) {
        return refusal(400, "the request names two hosts");
    }
    if (local) {
        return std::nullopt;
    }
    const HttpSender sender{.host = view(message[http::field::host]),
                            .origin = view(message[http::field::origin]),
                            .cookie = view(message[http::field::cookie]),
                            .authorization = view(message[http::field::authorization]),
                            .accept = view(message[http::field::accept]),
                            .site = view(message["Sec-Fetch-Site"]),
                            .mode = view(message["Sec-Fetch-Mode"])};
    std::optional<HttpResponse> out = stopped_at(served.guard, sender, request);
    if (!out && !known) {
        known = true;
        place->keep();
    }
    return out;
}

// Asks for the body of a request whose header has been accepted, and reads it.
asio::awaitable<beast::error_code> Connection::read_body(Parser& parser) {
    const std::uint64_t length = parser.content_length().value_or(0);  // 0: it comes in chunks, or there is none
    if (length > limits().body_bytes) {
        co_return http::error::body_limit;
    }
    BodyShare& share = parser.get().body().share;
    share.begin(served.bodies);
    if (!share.grow_to(length)) {
        co_return no_room();
    }
    parser.body_limit(limits().body_bytes);  // of chunks
    parser.eager(true);
    beast::error_code error;
    if (!parser.is_done() && buffer.size() > 0) {  // a small body came with its header
        buffer.consume(parser.put(buffer.data(), error));
        error = error == http::error::need_more ? beast::error_code() : error;
    } else if (!parser.is_done() && beast::iequals(parser.get()[http::field::expect], "100-continue") &&
               !co_await send("HTTP/1.1 100 Continue\r\n\r\n")) {
        co_return asio::error::broken_pipe;
    }
    if (!error && !parser.is_done()) {
        stream.expires_after(limits().request);
        std::tie(error, std::ignore) = co_await http::async_read(stream, buffer, parser, kNoThrow);
    }
    co_return error;
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
    std::array<char, 16'384> block{};
    stream.expires_after(std::min(limits().request, kMostDraining));
    for (std::size_t left = kMostDrained; left > 0;) {
        const auto [error, got] = co_await stream.async_read_some(asio::buffer(block), kNoThrow);
        if (error) {
            co_return;
        }
        left -= std::min(left, got);
    }
}

asio::awaitable<void> Connection::serve() {
    bool drains = false;
    for (std::size_t i = 0; i < limits().requests; ++i) {
        Parser parser;
        beast::error_code error = co_await read_header(parser);
        HttpResponse response;
        std::optional<HttpRequest> request;
        if (!error) {
            request = request_of(parser.get());
            std::optional<HttpResponse> early =
                request ? stopped(parser.get(), *request) : refusal(400, "this is no path of this server");
            response = early ? std::move(*early) : response_or_refusal([&] { return served.handler(*request); });
        }
        if (!error && response.with_body) {
            error = co_await read_body(parser);
            if (!error) {
                std::string& body = parser.get().body().text;
                response = response_or_refusal([&] { return response.with_body(std::move(body)); });
            }
        }
        if (error) {
            if (std::optional<HttpResponse> told = refusal_of(error)) {
                co_await write(std::move(*told), false, false);
                drains = true;
            }
            break;
        }
        if (response.later) {
            response = co_await response_of(std::move(response.later));
        }
        parser.get().body().share.end();
        const bool keep = parser.keep_alive() && parser.is_done();
        const bool head = parser.get().method() == http::verb::head;
        if (!co_await write(std::move(response), keep, head)) {
            drains = !parser.is_done();
            break;
        }
    }
    beast::error_code ignored;
    ignored = stream.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    if (drains) {
        co_await drain();
    }
}

asio::awaitable<void> serve_to_its_end(std::shared_ptr<Connection> connection) {
    co_await connection->serve();
}

}  // namespace

void serve_connection(HttpSocket socket, bool local, HttpServed& served) {
    const auto connection = std::make_shared<Connection>(served, local, Stream(std::move(socket)));
    connection->place = served.places.take([weak = std::weak_ptr(connection)] {
        if (std::shared_ptr<Connection> found = weak.lock()) {
            const auto executor = found->stream.get_executor();
            asio::post(executor, [found = std::move(found)] { found->stream.close(); });
        }
    });
    if (!connection->place) {
        return;
    }
    if (connection->known) {
        connection->place->keep();
    }
    asio::co_spawn(connection->stream.get_executor(), serve_to_its_end(connection), asio::detached);
}

}  // namespace tenon
