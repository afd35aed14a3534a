// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/client_table.hpp"

#include <set>

#include "support/catch.hpp"

namespace tenon::client_table_test {

using std::chrono::milliseconds;
using Clock = ClientTable::Clock;

const ClientTable::Seats& seats(ClientTable& table, std::string_view client, std::uint32_t rows,
                                Clock::time_point now) {
    const auto found = table.find(client, rows, now);
    REQUIRE(std::holds_alternative<const ClientTable::Seats*>(found));
    return *std::get<const ClientTable::Seats*>(found);
}

Refusal refused(ClientTable& table, std::string_view client, std::uint32_t rows, Clock::time_point now) {
    const auto found = table.find(client, rows, now);
    REQUIRE(std::holds_alternative<Refusal>(found));
    return std::get<Refusal>(found);
}

TEST_CASE("each row of each client has a seat of its own, the same every time") {
    ClientTable table(4, milliseconds(100));
    const Clock::time_point now = Clock::now();
    const std::vector<std::uint32_t> a = seats(table, "a", 3, now).rows;
    const std::vector<std::uint32_t> b = seats(table, "b", 1, now).rows;
    std::set<std::uint32_t> all(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    CHECK(all == std::set<std::uint32_t>{0, 1, 2, 3});
    CHECK(seats(table, "a", 3, now).rows == a);
    CHECK(table.count() == 2);
}

TEST_CASE("a client is new until its first answer") {
    ClientTable table(4, milliseconds(100));
    const Clock::time_point now = Clock::now();
    CHECK(seats(table, "a", 1, now).is_new);
    CHECK(seats(table, "a", 1, now).is_new);
    table.note("a");
    CHECK_FALSE(seats(table, "a", 1, now).is_new);
    CHECK(table.forget("a"));
    CHECK_FALSE(table.forget("a"));
    CHECK(seats(table, "a", 1, now).is_new);
}

TEST_CASE("a client keeps its number of rows, and there are not more clients than seats") {
    ClientTable table(3, milliseconds(100));
    const Clock::time_point now = Clock::now();
    static_cast<void>(seats(table, "a", 2, now));
    CHECK(refused(table, "a", 1, now).status == 409);
    CHECK(refused(table, "a", 1, now).sentence ==
          "the client 'a' has 2 rows since its first request; reset it to have 1");
    CHECK(refused(table, "b", 2, now).status == 503);
    CHECK(refused(table, "b", 2, now).sentence ==
          "there is no memory left for another client: the others have 2 of 3 rows; reset one, or start `tenon serve` "
          "with more --clients");
    static_cast<void>(seats(table, "b", 1, now));
    table.forget("a");
    CHECK(seats(table, "c", 2, now).is_new);
}

TEST_CASE("a silent client is forgotten when its time is over, and its seats are given to others") {
    ClientTable table(2, milliseconds(100));
    const Clock::time_point now = Clock::now();
    static_cast<void>(seats(table, "a", 1, now));
    static_cast<void>(seats(table, "b", 1, now));
    table.note("a");
    table.note("b");
    static_cast<void>(seats(table, "b", 1, now + milliseconds(60)));
    CHECK(refused(table, "c", 1, now + milliseconds(99)).status == 503);
    CHECK(seats(table, "c", 1, now + milliseconds(100)).is_new);
    CHECK_FALSE(seats(table, "b", 1, now + milliseconds(100)).is_new);
    CHECK(seats(table, "b", 1, now + milliseconds(200)).is_new);  // itself too late
}

}  // namespace tenon::client_table_test
