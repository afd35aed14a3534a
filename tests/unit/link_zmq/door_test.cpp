// SPDX-License-Identifier: Apache-2.0
// Streams between a door and guests, in threads of this process.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "engines/link_zmq/door.hpp"
#include "engines/link_zmq/stream.hpp"
#include "engines/process/socket_pair.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace door_test {

using namespace tenon;
using namespace std::chrono_literals;

namespace {

constexpr auto kLong = 60s;

DoorSide side_of(const std::string& endpoint, const std::string& name) {
    return {.endpoint = endpoint, .build = "b", .level = "avx2", .name = name};
}

// A guest that sends back what it gets, until the door is closed.
class Echo {
public:
    explicit Echo(DoorSide side, std::chrono::milliseconds limit = kLong)
        : thread_([this, side = std::move(side), limit] {
              const Visit visit{.side = side,
                                .limit = limit,
                                .begin = [this] { return begin(); },
                                .end =
                                    [this] {
                                        echo_.join();
                                        ++ends;
                                        return true;
                                    },
                                .tell = [this](const std::string& sentence) { told = sentence; }};
              const Status done = zmq::visit(visit);
              problem = done ? "" : done.error().sentence;
          }) {}
    ~Echo() { join(); }
    void join() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    std::string problem;
    std::string told;
    std::atomic<int> ends{0};

private:
    Result<int> begin() {
        const std::array<int, 2> pair = TENON_TRY(socket_pair());
        echo_ = std::thread([socket = pair[1]] {
            std::array<char, 4096> bytes{};
            for (ssize_t got = 0; (got = ::read(socket, bytes.data(), bytes.size())) > 0;) {
                for (ssize_t at = 0; at < got;) {
                    const ssize_t put =
                        ::send(socket, bytes.data() + at, static_cast<std::size_t>(got - at), MSG_NOSIGNAL);
                    if (put <= 0) {
                        break;
                    }
                    at += put;
                }
            }
            ::close(socket);
        });
        return pair[0];
    }

    std::thread echo_;
    std::thread thread_;
};

DoorGuest taken(Door& door) {
    Result<std::optional<DoorGuest>> guest = door.take(kLong);
    REQUIRE(guest);
    REQUIRE(*guest);
    return **guest;
}

// What comes back of so many bytes.
std::string through(int socket, std::size_t bytes) {
    std::string sent(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) {
        sent[i] = static_cast<char>(i * 31 + i / 251);
    }
    std::thread sender([&] {
        for (std::size_t at = 0; at < bytes;) {
            const ssize_t put = ::send(socket, sent.data() + at, bytes - at, MSG_NOSIGNAL);
            at += put > 0 ? static_cast<std::size_t>(put) : bytes;
        }
    });
    std::string got(bytes, ' ');
    for (std::size_t at = 0; at < bytes;) {
        const ssize_t part = ::read(socket, got.data() + at, bytes - at);
        at += part > 0 ? static_cast<std::size_t>(part) : bytes;
    }
    sender.join();
    return got == sent ? "the same" : "other bytes";
}

// Until the door tells this, or nobody can be taken who would be told otherwise.
std::string notice_of(Door& door) {
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (std::chrono::steady_clock::now() < end) {
        REQUIRE(door.take(10ms));
        if (const std::vector<std::string> notices = door.take_notices(); !notices.empty()) {
            return notices.front();
        }
    }
    return {};
}

Result<std::unique_ptr<Door>> opened(const std::string& secret = {}) {
    DoorSide side = side_of("tcp://127.0.0.1:0", "the trainer");
    side.secret = secret;
    return zmq::open_door(side);
}

}  // namespace

TEST_CASE("bytes of any number go through a door and come back, with and without a key") {
    for (const std::string secret : {"", "a secret"}) {
        Result<std::unique_ptr<Door>> door = opened(secret);
        REQUIRE(door);
        DoorSide side = side_of((*door)->endpoint(), "guest");
        side.secret = secret;
        Echo echo(side);
        const DoorGuest guest = taken(**door);
        CHECK(guest.name == "guest");
        CHECK(through(guest.stream, 1) == "the same");
        CHECK(through(guest.stream, 3'000'000) == "the same");
        ::close(guest.stream);
        const DoorGuest again = taken(**door);  // it waits for the next stream
        CHECK(through(again.stream, 70'000) == "the same");
        ::close(again.stream);
        door->reset();
        echo.join();
        CHECK(echo.problem.empty());
        CHECK(echo.ends == 2);
    }
}

TEST_CASE("several guests have streams of their own, and one that is not wanted waits") {
    const test::ScratchFolder folder;
    Result<std::unique_ptr<Door>> door = zmq::open_door(side_of("ipc://" + (folder.path() / "door").string(), "t"));
    REQUIRE(door);
    const std::string endpoint = (*door)->endpoint();
    Echo first(side_of(endpoint, "first"));
    const DoorGuest one = taken(**door);
    Echo second(side_of(endpoint, "second"));
    const DoorGuest two = taken(**door);
    Echo spare(side_of(endpoint, "spare"));
    CHECK(one.name == "first");
    CHECK(two.name == "second");
    CHECK(through(two.stream, 10'000) == "the same");
    CHECK(through(one.stream, 10'000) == "the same");
    const DoorGuest three = taken(**door);
    CHECK(three.name == "spare");
    for (const DoorGuest& guest : {one, two, three}) {
        ::close(guest.stream);
    }
    door->reset();
}

TEST_CASE("a guest of another build or with other vector instructions is refused with a sentence on both sides") {
    Result<std::unique_ptr<Door>> door = opened();
    REQUIRE(door);
    DoorSide other = side_of((*door)->endpoint(), "node7, process 812");
    other.build = "c";
    Echo build(other);
    CHECK(notice_of(**door) ==
          "a worker was refused: the Tenon of node7, process 812 is another build than that of the trainer (the "
          "trainer): "
          "install the same one on both machines");
    build.join();
    CHECK(build.problem.starts_with("the Tenon of node7, process 812 is another build"));
    DoorSide old = side_of((*door)->endpoint(), "node8");
    old.level = "base";
    Echo level(old);
    CHECK(notice_of(**door).starts_with(
        "a worker was refused: node8 has the vector instructions 'base', and the trainer"));
    level.join();
    CHECK(level.problem.starts_with("node8 has the vector instructions 'base'"));
}

TEST_CASE("a guest with another key or without one is refused, which is told once") {
    Result<std::unique_ptr<Door>> door = opened("the secret");
    REQUIRE(door);
    for (const std::string secret : {"another", ""}) {
        DoorSide stranger = side_of((*door)->endpoint(), "stranger");
        stranger.secret = secret;
        Echo echo(stranger);
        if (!secret.empty()) {
            CHECK(notice_of(**door) == "somebody has connected to " + (*door)->endpoint() +
                                           " without the TENON_KEY of this run, and was refused");
        }
        echo.join();
        CHECK(echo.problem.starts_with("the trainer at " + (*door)->endpoint() +
                                       " does not accept this worker: TENON_KEY is "));
    }
    CHECK((*door)->take_notices().empty());
    DoorSide known = side_of((*door)->endpoint(), "known");
    known.secret = "the secret";
    const Echo echo(known);
    ::close(taken(**door).stream);
    door->reset();
}

TEST_CASE("a guest waits for its door, and no longer than its limit") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "door").string();
    Echo early(side_of(endpoint, "early"));
    Echo impatient(side_of("ipc://" + (folder.path() / "none").string(), "impatient"), 200ms);
    impatient.join();
    CHECK(impatient.problem.starts_with("no trainer has answered at ipc://"));
    Result<std::unique_ptr<Door>> door = zmq::open_door(side_of(endpoint, "t"));
    REQUIRE(door);
    ::close(taken(**door).stream);
    door->reset();
}

TEST_CASE("a door that cannot be opened says why") {
    Result<std::unique_ptr<Door>> door = opened();
    REQUIRE(door);
    const auto second = zmq::open_door(side_of((*door)->endpoint(), "t"));
    REQUIRE(!second);
    CHECK(second.error().sentence ==
          "the trainer cannot wait for workers at " + (*door)->endpoint() + ": Address already in use");
    const auto nowhere = zmq::open_door(side_of("tcp://no.such.host.invalid:5557", "t"));
    REQUIRE(!nowhere);
    CHECK(nowhere.error().sentence ==
          "the host in tcp://no.such.host.invalid:5557 has no address that this machine can find");
}

}  // namespace door_test
