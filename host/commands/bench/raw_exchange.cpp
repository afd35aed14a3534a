// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/raw_exchange.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(10);

Problem failed(const std::string& what) {
    return environment_problem("the plain TCP connection to compare with " + what + ": " + std::strerror(errno));
}

// False: nothing has happened by then.
bool wait_for(int descriptor, short events, Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd item{.fd = descriptor, .events = events, .revents = 0};
    return left > 0 && ::poll(&item, 1, static_cast<int>(left)) > 0;
}

void send_at_once(int connection) {
    const int on = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool begins_with(int connection, const std::string& word) {
    std::string got;
    while (got.size() < word.size() && wait_for(connection, POLLIN, Clock::now() + std::chrono::seconds(1))) {
        char letter = 0;
        if (::recv(connection, &letter, 1, 0) != 1) {
            return false;
        }
        got += letter;
    }
    return got == word;
}

}  // namespace

Result<RawListener> listen_raw(bool any) {
    RawListener out{.socket = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), .port = 0};
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(any ? INADDR_ANY : INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const int socket = out.socket.get();
    if (socket < 0 || ::bind(socket, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(socket, 8) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
        return failed("cannot be opened");
    }
    out.port = ntohs(at.sin_port);
    return out;
}

Result<FileDescriptor> accept_raw(const RawListener& listener, const std::string& word) {
    const auto end = Clock::now() + kPatience;
    while (wait_for(listener.socket.get(), POLLIN, end)) {
        FileDescriptor connection(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection.get() >= 0 && begins_with(connection.get(), word)) {
            send_at_once(connection.get());
            return connection;
        }
    }
    errno = ETIMEDOUT;
    return failed("has not been made by the other process");
}

Result<FileDescriptor> connect_raw(const std::string& host, int port, const std::string& word) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
        return input_problem("the host " + host + " has no address that this machine can find");
    }
    FileDescriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool made = connection.get() >= 0 && ::connect(connection.get(), found->ai_addr, found->ai_addrlen) == 0 &&
                      ::send(connection.get(), word.data(), word.size(), MSG_NOSIGNAL) == ssize_t(word.size());
    ::freeaddrinfo(found);
    if (!made) {
        return failed("to " + host + ":" + std::to_string(port) + " cannot be made");
    }
    send_at_once(connection.get());
    return connection;
}

Status exchange_raw(int connection, std::span<float> numbers, std::vector<float>& scratch) {
    const auto own = std::as_bytes(numbers);
    const auto theirs = std::as_writable_bytes(std::span(scratch));
    std::size_t sent = 0;
    std::size_t got = 0;
    std::size_t added = 0;
    while (sent < own.size() || got < theirs.size()) {
        bool moved = false;
        if (sent < own.size()) {
            const ssize_t bytes = ::send(connection, own.data() + sent, own.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            sent += bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
            moved = bytes > 0;
        }
        if (got < theirs.size()) {
            const ssize_t bytes = ::recv(connection, theirs.data() + got, theirs.size() - got, MSG_DONTWAIT);
            if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) {
                return failed("has ended");
            }
            got += bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
            moved = moved || bytes > 0;
        }
        // Only what has been sent may change.
        for (const std::size_t whole = std::min(sent, got) / sizeof(float); added < whole; ++added) {
            numbers[added] += scratch[added];
        }
        const auto events = static_cast<short>((sent < own.size() ? POLLOUT : 0) | (got < theirs.size() ? POLLIN : 0));
        if (!moved && !wait_for(connection, events, Clock::now() + kPatience)) {
            errno = ETIMEDOUT;
            return failed("is silent");
        }
    }
    return {};
}

}  // namespace tenon
