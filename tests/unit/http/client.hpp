// SPDX-License-Identifier: Apache-2.0
// A client that sends any bytes to a port of loopback.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "base/file/sync.hpp"

namespace tenon {

// How long a test waits for what must come.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(2);

template <class F>
bool in_the_end(F happened) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool out = happened();
    while (!out && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        out = happened();
    }
    return out;
}

class Client {
public:
    explicit Client(std::uint16_t port);
    explicit Client(const std::filesystem::path& socket);

    void send(std::string_view bytes) const;
    void end_sending() const;
    // Everything until the server closes the connection, or until it was silent for so long.
    [[nodiscard]] std::string receive(std::chrono::milliseconds silence = kPatience) const;
    // Everything until it ends so, or the server closes the connection.
    [[nodiscard]] std::string receive_until(std::string_view end) const;
    // Whether the server closes the connection within that time, without a byte.
    [[nodiscard]] bool is_dropped(std::chrono::milliseconds within) const;

private:
    FileDescriptor socket_;
};

// One request on a connection of its own, which it asks to close.
std::string ask(std::uint16_t port, std::string_view target, std::string_view headers = "",
                std::string_view method = "GET", std::string_view body = "");

}  // namespace tenon
