// SPDX-License-Identifier: Apache-2.0
// Which seats of a served policy have the memory of which client. The number of seats is limited; a client that has
// been silent for long loses its seats.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "commands/serve/act_request.hpp"

namespace tenon {

class ClientTable {
public:
    using Clock = std::chrono::steady_clock;

    // A seat is the memory of one row.
    ClientTable(std::uint32_t seats, std::chrono::milliseconds idle);

    struct Seats {
        std::vector<std::uint32_t> rows;  // the seat of each row
        bool is_new = false;              // nothing is remembered yet
    };
    // The client's seats; a new one gets free ones. It has the same number of rows until it is forgotten.
    std::variant<const Seats*, Refusal> find(std::string_view client, std::uint32_t rows, Clock::time_point now);
    // Marks the client as known.
    void note(std::string_view client);
    // Removes the client; whether it was known.
    bool forget(std::string_view client);

    [[nodiscard]] std::size_t count() const { return clients_.size(); }

private:
    struct Client {
        Seats seats;
        Clock::time_point seen;
    };
    void forget_silent(Clock::time_point now);

    std::chrono::milliseconds idle_;
    std::size_t seats_;
    std::vector<std::uint32_t> free_;
    std::map<std::string, Client, std::less<>> clients_;
};

}  // namespace tenon
