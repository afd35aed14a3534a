// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/client_table.hpp"

#include <utility>

#include "base/error/listed.hpp"

namespace tenon {

ClientTable::ClientTable(std::uint32_t seats, std::chrono::milliseconds idle) : idle_(idle), seats_(seats) {
    for (std::uint32_t seat = seats; seat-- > 0;) {
        free_.push_back(seat);
    }
}

void ClientTable::forget_silent(Clock::time_point now) {
    for (auto each = clients_.begin(); each != clients_.end();) {
        if (now - each->second.seen < idle_) {
            ++each;
            continue;
        }
        free_.insert(free_.end(), each->second.seats.rows.begin(), each->second.seats.rows.end());
        each = clients_.erase(each);
    }
}

std::variant<const ClientTable::Seats*, Refusal> ClientTable::find(std::string_view client, std::uint32_t rows,
                                                                   Clock::time_point now) {
    auto found = clients_.find(client);
    if (found != clients_.end() && now - found->second.seen >= idle_) {
        forget(client);
        found = clients_.end();
    }
    if (found != clients_.end()) {
        Client& known = found->second;
        if (known.seats.rows.size() != rows) {
            return Refusal{409, "the client '" + std::string(client) + "' has " +
                                    counted(known.seats.rows.size(), "row") +
                                    " since its first request; reset it to have " + std::to_string(rows)};
        }
        known.seen = now;
        return &known.seats;
    }
    if (rows > free_.size()) {
        forget_silent(now);
    }
    if (rows > free_.size()) {
        return Refusal{503, "there is no memory left for another client: the others have " +
                                std::to_string(seats_ - free_.size()) + " of " + counted(seats_, "row") +
                                "; reset one, or start `tenon serve` with more --clients"};
    }
    Client made{.seats = {.rows = {}, .is_new = true}, .seen = now};
    made.seats.rows.assign(free_.end() - rows, free_.end());
    free_.resize(free_.size() - rows);
    return &clients_.emplace(client, std::move(made)).first->second.seats;
}

void ClientTable::note(std::string_view client) {
    if (const auto found = clients_.find(client); found != clients_.end()) {
        found->second.seats.is_new = false;
    }
}

bool ClientTable::forget(std::string_view client) {
    const auto found = clients_.find(client);
    if (found == clients_.end()) {
        return false;
    }
    free_.insert(free_.end(), found->second.seats.rows.begin(), found->second.seats.rows.end());
    clients_.erase(found);
    return true;
}

}  // namespace tenon
