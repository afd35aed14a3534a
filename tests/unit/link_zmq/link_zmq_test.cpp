// SPDX-License-Identifier: Apache-2.0
// Links by ZeroMQ between threads and processes of this machine.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engines/link_zmq/link.hpp"
#include "engines/link_zmq/meeting.hpp"
#include "engines/shards/group.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace link_zmq_test {

using namespace tenon;
using namespace std::chrono_literals;

namespace {

Meeting meeting_of(const std::string& endpoint, std::size_t rank, std::size_t count) {
    return {.rank = rank, .count = count, .endpoint = endpoint, .name = "thread " + std::to_string(rank), .limit = 20s};
}

// A port that is free now.
std::string free_endpoint() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(probe, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::getsockname(probe, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    ::close(probe);
    return "tcp://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

template <class F>
void in_threads(std::size_t count, F f) {
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([=] { f(rank); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// Each tells its number to all others, and adds up what it hears.
std::vector<std::size_t> sums_over(const std::string& endpoint, std::size_t count, const std::string& secret) {
    std::vector<std::size_t> sums(count);
    in_threads(count, [&](std::size_t rank) {
        std::this_thread::sleep_for(5ms * (rank == 0 ? 10 : count - rank));  // the first one comes last
        Meeting meeting = meeting_of(endpoint, rank, count);
        meeting.secret = secret;
        Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
        if (!link) {
            return;
        }
        Group group(std::move(*link), {.rank = rank, .count = count, .limit = 20s}, "");
        for (std::size_t other = 0; other < count; ++other) {
            if (other != rank) {
                (void)group.tell(other, MessageKind::kWord, std::to_string(rank));
            }
        }
        for (std::size_t other = 0; other < count; ++other) {
            if (other != rank) {
                const Result<std::string> heard = group.hear(other, MessageKind::kWord);
                sums[rank] += heard ? std::stoul(*heard) + 1 : 0;
            }
        }
        // nobody leaves before all have heard all
        for (std::size_t other = 0; other < count; ++other) {
            if (other != rank) {
                (void)group.tell(other, MessageKind::kSaved, "");
                (void)group.hear(other, MessageKind::kSaved);
            }
        }
        group.leave(nullptr);
    });
    return sums;
}

}  // namespace

TEST_CASE("processes that come in any order are linked, each with each") {
    const test::ScratchFolder folder;
    CHECK(sums_over("ipc://" + (folder.path() / "m").string(), 4, "") == std::vector<std::size_t>{9, 8, 7, 6});
    CHECK(sums_over(free_endpoint(), 3, "") == std::vector<std::size_t>{5, 4, 3});
}

TEST_CASE("processes with the same secret are linked by encrypted connections") {
    CHECK(sums_over(free_endpoint(), 2, "a secret") == std::vector<std::size_t>{2, 1});
}

TEST_CASE("process 0 is found by the name of its machine") {
    const auto at = [](const std::string& host) {
        const std::string endpoint = free_endpoint();
        return "tcp://" + host + endpoint.substr(endpoint.rfind(':'));
    };
    CHECK(sums_over(at("localhost"), 3, "") == std::vector<std::size_t>{5, 4, 3});
    CHECK(sums_over(at("0x7f.1"), 3, "a secret") == std::vector<std::size_t>{5, 4, 3});  // a name that binds nothing
    Meeting nowhere = meeting_of(at("no-such-host.invalid"), 1, 2);
    nowhere.limit = 200ms;
    const auto link = zmq::open_link(nowhere);
    REQUIRE(!link);
    CHECK(link.error().sentence.starts_with("the host in tcp://no-such-host.invalid:"));
}

TEST_CASE("a process with another secret does not come, and a stranger changes nothing") {
    const std::string endpoint = free_endpoint();
    std::vector<std::string> said(2);
    std::vector<std::vector<std::string>> told(2);
    std::thread stranger([&] {
        for (int i = 0; i < 20; ++i) {
            const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
            sockaddr_in at{};
            at.sin_family = AF_INET;
            at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
            if (::connect(probe, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) {
                (void)!::write(probe, "GET / HTTP/1.1\r\n\r\n", 18);
            }
            ::close(probe);
            std::this_thread::sleep_for(10ms);
        }
    });
    in_threads(2, [&](std::size_t rank) {
        Meeting meeting = meeting_of(endpoint, rank, 2);
        meeting.secret = rank == 0 ? "a secret" : "another secret";
        meeting.limit = 1000ms;
        meeting.tell = [&, rank](const std::string& sentence) { told[rank].push_back(sentence); };
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
        said[rank] = link ? "linked" : link.error().sentence;
    });
    stranger.join();
    CHECK(told[0] == std::vector<std::string>{"at " + endpoint +
                                              " a connection is refused: who has come has another "
                                              "TENON_KEY, or is no shard of this run"});
    CHECK(told[1] == std::vector<std::string>{"at " + endpoint +
                                              " the connection of shard 1 of 2 (thread 1) is "
                                              "refused: who waits there has another TENON_KEY, or is no shard"});
    CHECK(said[0] == "of 2 shards, number 1 has not come to " + endpoint + " within 1 s");
    CHECK(said[1] == "shard 0 of 2 has not answered shard 1 of 2 (thread 1) at " + endpoint + " within 1 s");
}

TEST_CASE("two processes with one number are named, in all processes") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    std::vector<std::string> said(3);
    in_threads(3, [&](std::size_t i) {
        Meeting meeting = meeting_of(endpoint, i == 2 ? 1 : i, 3);
        meeting.name = "thread " + std::to_string(i);
        meeting.endpoint = endpoint;
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
        said[i] = link ? "linked" : link.error().sentence;
    });
    for (const std::string& sentence : said) {
        INFO(sentence);
        CHECK(sentence.starts_with("two processes are shard 1 of 3: thread "));
    }
}

TEST_CASE("a process that fails before it could come tells all others why, also those that come later") {
    for (const std::size_t failing : {0U, 1U}) {
        CAPTURE(failing);
        const test::ScratchFolder folder;
        const std::string endpoint = "ipc://" + (folder.path() / "m").string();
        const Problem why = plugin_problem("a plugin\nis bad");
        std::vector<Problem> said(3, input_problem("linked"));
        in_threads(3, [&](std::size_t rank) {
            std::this_thread::sleep_for(rank == 2 ? 100ms : 0ms);
            Meeting meeting = meeting_of(endpoint, rank, 3);
            meeting.parting = 20s;
            meeting.failed = rank == failing ? &why : nullptr;
            const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
            said[rank] = link ? said[rank] : link.error();
        });
        const std::string number = std::to_string(failing);
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const std::string sentence = "shard " + number + " of 3 (thread " + number + "): a plugin is bad";
            CHECK(said[rank].sentence == (rank == failing && rank != 0 ? why.sentence
                                          : rank == failing            ? "shard 0 of 3 (thread 0): a plugin\nis bad"
                                                                       : sentence));
            CHECK(said[rank].fault == Fault::kPlugin);
        }
    }
}

TEST_CASE("a process that has failed waits for nobody longer than its limit") {
    const test::ScratchFolder folder;
    const Problem why = plugin_problem("a plugin is bad");
    for (const std::size_t rank : {0U, 1U}) {
        Meeting meeting = meeting_of("ipc://" + (folder.path() / "m").string(), rank, 2);
        meeting.limit = meeting.parting = 200ms;
        meeting.failed = &why;
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
        REQUIRE(!link);
        CHECK(link.error().sentence == (rank == 0 ? "shard 0 of 2 (thread 0): a plugin is bad"
                                                  : "shard 0 of 2 has not answered shard 1 of 2 (thread 1) at " +
                                                        meeting.endpoint + " within 0 s"));
    }
}

TEST_CASE("a process that ends while it waits for the others may come again") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    std::vector<std::string> said(3);
    in_threads(3, [&](std::size_t rank) {
        if (rank == 1) {
            Meeting gone = meeting_of(endpoint, 1, 3);
            gone.name = "an earlier one";
            gone.limit = 200ms;
            CHECK(!zmq::open_link(gone));
        }
        std::this_thread::sleep_for(rank == 2 ? 300ms : 0ms);
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting_of(endpoint, rank, 3));
        said[rank] = link ? "linked" : link.error().sentence;
    });
    CHECK(said == std::vector<std::string>(3, "linked"));
}

TEST_CASE("a process whose number has come before is refused while the others go on") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    std::vector<std::string> said(3);
    std::atomic<int> linked = 0;
    std::barrier<> together(2);  // neither ends before the other has looked
    in_threads(3, [&](std::size_t i) {
        Meeting meeting = meeting_of(endpoint, i == 2 ? 1 : i, 2);
        meeting.name = "thread " + std::to_string(i);
        meeting.limit = i == 0 ? 400ms : 20s;  // half of it is how long a late one waits for the end of another
        while (i == 2 && linked < 2) {
            std::this_thread::sleep_for(1ms);
        }
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
        said[i] = link ? "linked" : link.error().sentence;
        ++linked;
        while (i < 2 && linked < 3) {
            (*link)->wait(1 - i, 50ms);
            said[i] = (*link)->gone() ? "lost" : said[i];
        }
        if (i < 2) {
            together.arrive_and_wait();
        }
    });
    CHECK(said[0] == "linked");
    CHECK(said[2] == "two processes are shard 1 of 2: thread 1, and thread 2, which has come to " + endpoint +
                         " after the run of thread 0 began");
}

TEST_CASE("a process that has come to the meeting, and is connected to nobody, is waited for until the limit") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    const Result<const zmq::Library*> library = zmq::library();
    REQUIRE(library);
    const zmq::Context context((*library)->ctx_new());
    std::thread other([&] {
        zmq::LateGuests late;
        CHECK(zmq::meet(**library, context.get(), meeting_of(endpoint, 1, 2), std::nullopt, {}, late));
    });
    Meeting meeting = meeting_of(endpoint, 0, 2);
    meeting.limit = 1500ms;
    const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting);
    other.join();
    REQUIRE_FALSE(link);
    CHECK(link.error().sentence == "shard 1 has come to the meeting, but cannot be connected to shard 0 (thread 0)");
}

TEST_CASE("processes that disagree on the number of shards are named") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    std::vector<std::string> said(2);
    in_threads(2, [&](std::size_t rank) {
        const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting_of(endpoint, rank, rank == 0 ? 2 : 3));
        said[rank] = link ? "linked" : link.error().sentence;
    });
    CHECK(said == std::vector<std::string>(2, "thread 1 says that the run has 3 shards, but thread 0 says 2"));
}

TEST_CASE("a port in use is named") {
    const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(taken, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(taken, 1) == 0);
    REQUIRE(::getsockname(taken, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    const Result<std::unique_ptr<Link>> link = zmq::open_link(meeting_of(endpoint, 0, 2));
    ::close(taken);
    REQUIRE_FALSE(link);
    CHECK(link.error().sentence ==
          "shard 0 of 2 (thread 0) cannot wait for the others at " + endpoint + ": Address already in use");
}

TEST_CASE("the death of a process is seen within 50 ms, after what it has said before") {
    const test::ScratchFolder folder;
    const std::string endpoint = "ipc://" + (folder.path() / "m").string();
    const pid_t child = ::fork();
    if (child == 0) {
        Result<std::unique_ptr<Link>> link = zmq::open_link(meeting_of(endpoint, 1, 2));
        const std::byte one{1};
        (void)(*link)->send(0, {&one, 1});
        ::sleep(60);
        ::_exit(0);
    }
    Result<std::unique_ptr<Link>> link = zmq::open_link(meeting_of(endpoint, 0, 2));
    REQUIRE(link);
    while (!(*link)->receive(1)) {
        (*link)->wait(1, 1000ms);
    }
    CHECK_FALSE((*link)->gone());
    ::kill(child, SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    (*link)->wait(1, 10'000ms);
    CHECK((*link)->gone() == 1U);
    CHECK(std::chrono::steady_clock::now() - killed < 1s);  // 50 ms on an idle machine
    ::waitpid(child, nullptr, 0);
}

}  // namespace link_zmq_test
