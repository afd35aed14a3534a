// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

namespace tenon {

Client::Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static_cast<void>(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place));
}

Client::Client(const std::filesystem::path& socket) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    socket.native().copy(place.sun_path, sizeof place.sun_path - 1);
    static_cast<void>(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place));
}

void Client::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return;  // the server has closed: receive shows what it said
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void Client::end_sending() const {
    ::shutdown(socket_.get(), SHUT_WR);
}

std::string Client::receive(std::chrono::milliseconds silence) const {
    std::string out;
    std::array<char, 65'536> block{};
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, static_cast<int>(silence.count())) > 0) {
        const ssize_t got = ::recv(socket_.get(), block.data(), block.size(), 0);
        if (got <= 0) {
            break;
        }
        out.append(block.data(), static_cast<std::size_t>(got));
    }
    return out;
}

std::string Client::receive_until(std::string_view end) const {
    std::string out;
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    char byte = 0;
    while (!out.ends_with(end) && ::poll(&ready, 1, 10'000) > 0 && ::recv(socket_.get(), &byte, 1, 0) > 0) {
        out += byte;
    }
    return out;
}

bool Client::is_dropped(std::chrono::milliseconds within) const {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    char byte = 0;
    return ::poll(&ready, 1, static_cast<int>(within.count())) > 0 && ::recv(socket_.get(), &byte, 1, 0) <= 0;
}

std::string ask(std::uint16_t port, std::string_view target, std::string_view headers, std::string_view method,
                std::string_view body) {
    const Client client(port);
    std::string text(method);
    text.append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
    if (!body.empty()) {
        text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    }
    client.send(text.append(headers).append("\r\n").append(body));
    return client.receive();
}

}  // namespace tenon
