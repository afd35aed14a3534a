// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/address.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <string_view>
#include <thread>

namespace tenon::zmq {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::chrono::milliseconds kNameGlance{100};

// The text of the first address of the host; empty: none.
std::string address_of(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
        return {};
    }
    std::array<char, NI_MAXHOST> text{};
    const int failure =
        ::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    const bool is_ipv6 = found->ai_family == AF_INET6;
    ::freeaddrinfo(found);
    return failure != 0 ? "" : is_ipv6 ? "[" + std::string(text.data()) + "]" : text.data();
}

}  // namespace

Result<std::string> numeric(const std::string& endpoint, std::chrono::milliseconds limit) {
    if (!endpoint.starts_with(kTcp)) {
        return endpoint;
    }
    const std::size_t colon = endpoint.rfind(':');
    std::string host = endpoint.substr(kTcp.size(), colon - kTcp.size());
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (const std::string address = address_of(host); !address.empty()) {
            return std::string(kTcp) + address + endpoint.substr(colon);
        }
        if (std::chrono::steady_clock::now() >= end) {
            return environment_problem("the host in " + endpoint + " has no address that this machine can find");
        }
        std::this_thread::sleep_for(kNameGlance);
    }
}

}  // namespace tenon::zmq
