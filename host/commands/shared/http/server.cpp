// SPDX-License-Identifier: Apache-2.0
#include "shared/http/server.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread/interrupts.hpp"
#include "shared/http/connection.hpp"

namespace tenon {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Error = boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

// The address by which other machines of the network reach this one.
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

}  // namespace

struct HttpServer::State {
    State(const HttpOptions& given, HttpHandler called)
        : served{.options = given,
                 .handler = std::move(called),
                 .guard = {},
                 .places = ConnectionPlaces(given.limits.connections),
                 .bodies = {.most = given.limits.all_body_bytes}},
          context(served.options.threads),
          acceptor(context),
          local_acceptor(context) {}

    Status listen_on_port(std::uint16_t port);
    Status listen_on_socket();
    template <class Acceptor>
    asio::awaitable<void> accept(Acceptor& from, bool local);

    HttpServed served;
    std::string machine;  // in the printed address
    asio::io_context context;
    Tcp::acceptor acceptor;
    Local::acceptor local_acceptor;
    bool made_socket = false;
    std::vector<std::thread> threads;
};

template <class Acceptor>
asio::awaitable<void> HttpServer::State::accept(Acceptor& from, bool local) {
    asio::steady_timer pause(context);
    for (;;) {
        auto [error, socket] = co_await from.async_accept(asio::make_strand(context), kNoThrow);
        if (error == asio::error::operation_aborted) {
            co_return;
        }
        if (error) {  // no descriptors are left, for example
            pause.expires_after(std::chrono::milliseconds(100));
            co_await pause.async_wait(kNoThrow);
            continue;
        }
        if (!local) {
            Error ignored;
            ignored = socket.set_option(Tcp::no_delay(true), ignored);  // a small response does not wait for a larger
        }
        serve_connection(HttpSocket(std::move(socket)), local, served);
    }
}

Status HttpServer::State::listen_on_port(std::uint16_t port) {
    const Tcp::endpoint place(
        served.options.open_to_network ? asio::ip::address_v4::any() : asio::ip::address_v4::loopback(), port);
    Error error;
    error = acceptor.open(place.protocol(), error);
    error = error ? error : acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    error = error ? error : acceptor.bind(place, error);
    error = error ? error : acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error == asio::error::address_in_use) {
        return input_problem("port " + std::to_string(port) +
                             " is taken by another program; give another --port, or 0 for a free one");
    }
    if (error) {
        return environment_problem("cannot listen on port " + std::to_string(port) + ": " + error.message());
    }
    served.guard = {.token = served.options.token,
                    .cookie = "tenon-" + std::to_string(acceptor.local_endpoint(error).port()),
                    .open_to_network = served.options.open_to_network,
                    .machine = machine_name()};
    machine = served.options.open_to_network ? network_address() : "127.0.0.1";
    asio::co_spawn(context, accept(acceptor, false), asio::detached);
    return {};
}

Status HttpServer::State::listen_on_socket() {
    const std::string& path = served.options.socket.native();
    if (path.size() >= sizeof sockaddr_un{}.sun_path) {
        return input_problem("the path of the socket " + path + " is longer than the system permits, " +
                             std::to_string(sizeof sockaddr_un{}.sun_path - 1) + " bytes");
    }
    Error error;
    error = local_acceptor.open(Local(), error);
    if (!error && ::fchmod(local_acceptor.native_handle(), 0600) != 0) {  // bind gives these rights to the file
        error = Error(errno, boost::system::system_category());
    }
    error = error ? error : local_acceptor.bind(Local::endpoint(path), error);
    if (error == asio::error::address_in_use) {
        return input_problem(path +
                             " exists already; give another path for the socket, or remove it if no server uses it");
    }
    made_socket = !error;
    error = error ? error : local_acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
        return input_problem("cannot make the socket " + path + ": " + error.message());
    }
    asio::co_spawn(context, accept(local_acceptor, true), asio::detached);
    return {};
}

Result<HttpServer> HttpServer::open(const HttpOptions& options, HttpHandler handler) {
    auto state = std::make_unique<State>(options, std::move(handler));
    const HttpOptions& chosen = state->served.options;
    if (chosen.port) {
        TENON_TRY(state->listen_on_port(*chosen.port));
    }
    if (!chosen.socket.empty()) {
        TENON_TRY(state->listen_on_socket());
    }
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
    Error ignored;
    return state_->acceptor.is_open() ? state_->acceptor.local_endpoint(ignored).port() : 0;
}

std::string HttpServer::address() const {
    return port() == 0
               ? ""
               : "http://" + state_->machine + ":" + std::to_string(port()) + "/?token=" + state_->served.options.token;
}

void HttpServer::stop() {
    state_->context.stop();
    for (std::thread& thread : state_->threads) {
        thread.join();
    }
    state_->threads.clear();
    if (std::exchange(state_->made_socket, false)) {
        ::unlink(state_->served.options.socket.c_str());
    }
}

}  // namespace tenon
