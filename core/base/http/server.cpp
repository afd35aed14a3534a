// SPDX-License-Identifier: Apache-2.0
// Each connection is a coroutine on a strand: it reads a request, calls the handler and writes the response.
#include "base/http/server.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/http/guard.hpp"
#include "base/http/target.hpp"
#include "base/thread/interrupts.hpp"

namespace tenon {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
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

// The address by which others of the network reach this machine.
std::string network_address() {
    ifaddrs* all = nullptr;
    std::string out = "127.0.0.1";
    if (::getifaddrs(&all) != 0) {
        return out;
    }
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
            (each->ifa_flags & IFF_LOOPBACK) == 0) {
            const auto* found = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
            out = asio::ip::address_v4(ntohl(found->sin_addr.s_addr)).to_string();
            break;
        }
    }
    ::freeifaddrs(all);
    return out;
}

std::string machine_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

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

}  // namespace

struct HttpServer::State {
    State(HttpOptions given, HttpHandler called)
        : options(std::move(given)), handler(std::move(called)), context(options.threads), acceptor(context) {}

    [[nodiscard]] HttpResponse answer(const Parser::value_type& message) const;
    asio::awaitable<void> accept();
    asio::awaitable<void> serve(Tcp::socket socket);
    asio::awaitable<bool> write(beast::tcp_stream& stream, HttpResponse response, bool keep, bool head) const;
    asio::awaitable<bool> write_pieces(beast::tcp_stream& stream, HttpResponse& response) const;
    asio::awaitable<bool> send(beast::tcp_stream& stream, std::string_view bytes) const;

    HttpOptions options;
    HttpHandler handler;
    HttpGuard guard;
    std::string machine;  // in the printed address
    asio::io_context context;
    Tcp::acceptor acceptor;
    std::atomic<std::size_t> connections = 0;
    std::vector<std::thread> threads;
};

HttpResponse HttpServer::State::answer(const Parser::value_type& message) const {
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
                        .body = message.body()};
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
    if (std::optional<HttpResponse> stopped = stopped_at(guard, sender, request)) {
        return std::move(*stopped);
    }
    try {
        return handler(request);
    } catch (const std::exception&) {  // out of memory: the others are still served
        return refusal(500, "the server could not answer this request");
    }
}

asio::awaitable<bool> HttpServer::State::send(beast::tcp_stream& stream, std::string_view bytes) const {
    constexpr std::size_t kBlock = std::size_t{1} << 18U;  // each has its own time, so a slow network may take longer
    while (!bytes.empty()) {
        const std::string_view block = bytes.substr(0, kBlock);
        stream.expires_after(options.limits.write);
        const auto [error, sent] = co_await asio::async_write(stream, asio::buffer(block), kNoThrow);
        if (error) {
            co_return false;
        }
        bytes.remove_prefix(block.size());
    }
    co_return true;
}

asio::awaitable<bool> HttpServer::State::write_pieces(beast::tcp_stream& stream, HttpResponse& response) const {
    asio::steady_timer timer(stream.get_executor());
    auto sent_at = std::chrono::steady_clock::now();
    for (;;) {
        std::optional<std::string> piece = response.pieces();
        if (!piece) {
            co_return true;
        }
        if (piece->empty() && !response.length && std::chrono::steady_clock::now() - sent_at > options.limits.silence) {
            *piece = ": still here\n\n";
        }
        if (piece->empty()) {
            timer.expires_after(options.limits.poll);
            co_await timer.async_wait(kNoThrow);
            continue;
        }
        if (!co_await send(stream, *piece)) {
            co_return false;
        }
        sent_at = std::chrono::steady_clock::now();
    }
}

asio::awaitable<bool> HttpServer::State::write(beast::tcp_stream& stream, HttpResponse response, bool keep,
                                               bool head) const {
    http::response<http::empty_body> message{static_cast<http::status>(response.status), 11};
    for (const auto& [name, value] : kHeaders) {
        message.set(name, value);
    }
    for (const auto& [name, value] : kNewerHeaders) {
        message.set(name, value);
    }
    message.set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) {
        message.set(name, value);
    }
    const bool has_length = !response.pieces || response.length;
    if (has_length) {
        message.content_length(response.pieces ? *response.length : response.body.size());
    }
    const bool keeps = keep && has_length;
    message.keep_alive(keeps);
    http::response_serializer<http::empty_body> serializer(message);
    stream.expires_after(options.limits.write);
    const auto [error, sent] = co_await http::async_write_header(stream, serializer, kNoThrow);
    if (error) {
        co_return false;
    }
    if (!head && !co_await send(stream, response.body)) {
        co_return false;
    }
    const bool whole = head || !response.pieces || co_await write_pieces(stream, response);
    co_return keeps&& whole;
}

asio::awaitable<void> HttpServer::State::serve(Tcp::socket socket) {
    struct Counted {
        std::atomic<std::size_t>& count;
        ~Counted() { --count; }
    } counted{connections};
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer(options.limits.header_bytes + 4096);
    for (std::size_t i = 0; i < options.limits.requests; ++i) {
        Parser parser;
        parser.header_limit(options.limits.header_bytes);
        parser.body_limit(options.limits.body_bytes);
        stream.expires_after(options.limits.request);
        const auto [error, got] = co_await http::async_read(stream, buffer, parser, kNoThrow);
        if (error) {
            // Silent and slow clients, and those that have left, get nothing.
            if (error.category() == make_error_code(http::error::bad_method).category() &&
                error != http::error::end_of_stream && error != http::error::partial_message) {
                const int status = status_of(error);
                co_await write(stream, refusal(status, sentence_of(status)), false, false);
            }
            break;
        }
        const bool head = parser.get().method() == http::verb::head;
        const bool keep = parser.get().keep_alive();
        if (!co_await write(stream, answer(parser.get()), keep, head)) {
            break;
        }
    }
    beast::error_code ignored;
    ignored = stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
}

asio::awaitable<void> HttpServer::State::accept() {
    asio::steady_timer pause(context);
    for (;;) {
        auto [error, socket] = co_await acceptor.async_accept(asio::make_strand(context), kNoThrow);
        if (error == asio::error::operation_aborted) {
            co_return;
        }
        if (error) {  // no descriptors are left, for example
            pause.expires_after(std::chrono::milliseconds(100));
            co_await pause.async_wait(kNoThrow);
            continue;
        }
        if (connections.load() >= options.limits.connections) {
            continue;  // the socket closes
        }
        ++connections;
        const auto strand = socket.get_executor();
        asio::co_spawn(strand, serve(std::move(socket)), asio::detached);
    }
}

Result<HttpServer> HttpServer::open(HttpOptions options, HttpHandler handler) {
    auto state = std::make_unique<State>(std::move(options), std::move(handler));
    const HttpOptions& chosen = state->options;
    const Tcp::endpoint place(chosen.open_to_network ? asio::ip::address_v4::any() : asio::ip::address_v4::loopback(),
                              chosen.port);
    beast::error_code error;
    Tcp::acceptor& acceptor = state->acceptor;
    error = acceptor.open(place.protocol(), error);
    error = error ? error : acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    error = error ? error : acceptor.bind(place, error);
    error = error ? error : acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error == asio::error::address_in_use) {
        return input_problem("port " + std::to_string(chosen.port) +
                             " is taken by another program; give another --port, or 0 for a free one");
    }
    if (error) {
        return environment_problem("cannot listen on port " + std::to_string(chosen.port) + ": " + error.message());
    }
    const std::uint16_t port = state->acceptor.local_endpoint(error).port();
    state->guard = {.token = chosen.token,
                    .cookie = "tenon-" + std::to_string(port),
                    .open_to_network = chosen.open_to_network,
                    .machine = machine_name()};
    state->machine = chosen.open_to_network ? network_address() : "127.0.0.1";
    asio::co_spawn(state->context, state->accept(), asio::detached);
    for (int i = 0; i < chosen.threads; ++i) {
        state->threads.emplace_back([&context = state->context] {
            block_interrupts();
            context.run();
        });
    }
    return HttpServer(std::move(state));
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

HttpServer::HttpServer(HttpServer&&) noexcept = default;

HttpServer::~HttpServer() {
    if (state_) {
        stop();
    }
}

std::uint16_t HttpServer::port() const {
    beast::error_code ignored;
    return state_->acceptor.local_endpoint(ignored).port();
}

std::string HttpServer::address() const {
    return "http://" + state_->machine + ":" + std::to_string(port()) + "/?token=" + state_->options.token;
}

void HttpServer::stop() {
    state_->context.stop();
    for (std::thread& thread : state_->threads) {
        thread.join();
    }
    state_->threads.clear();
}

}  // namespace tenon
