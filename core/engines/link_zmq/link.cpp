// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/link.hpp"

#include <arpa/inet.h>
#include <malloc.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engines/link_zmq/meeting.hpp"
#include "engines/link_zmq/socket.hpp"

namespace tenon::zmq {
namespace {

constexpr int kHeartbeat = 5'000;       // milliseconds between two
constexpr int kHeartbeatLimit = 5'000;  // a process that does not answer one for so long is gone

constexpr long kGlanceMs = 100;
constexpr std::chrono::milliseconds kConnectLimit = std::chrono::seconds(60);

// The bytes of the kernel's buffers for each connection. By default a new connection has room for about one part of
// gradients, and the kernel may wait for 0.2 s before it sends the rest of the next one.
constexpr int kBuffer = 2 << 20;

// Keeps freed memory in the process. Each message has its own memory: malloc would return it to the kernel, which would
// clear it for the next message. An exchange of a megabyte took three times as long.
void keep_memory() {
    ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

// The connection to one other process: the lower number binds, the higher one connects. libzmq reconnects after a
// disconnection, and messages may be lost in between, so here the first disconnection is final. An option that forbids
// reconnecting (ZMQ_RECONNECT_IVL -1) would drop messages that arrived before it.
struct Peer {
    Socket socket;
    Socket monitor;  // tells the begin and the end of the connection
    bool has_come = false;
    bool gone = false;
};

std::string port_of(const std::string& endpoint) {
    return endpoint.substr(endpoint.rfind(':') + 1);
}

// The address of this machine on the way to the host of "tcp://HOST:PORT". No packet is sent.
std::string address_towards(const std::string& endpoint) {
    const std::string rest = endpoint.substr(std::strlen("tcp://"));
    const std::size_t colon = rest.rfind(':');
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(rest.substr(0, colon).c_str(), rest.substr(colon + 1).c_str(), &hints, &found) != 0) {
        return {};
    }
    std::array<char, INET_ADDRSTRLEN> out{};
    const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in own{};
    socklen_t size = sizeof own;
    if (probe >= 0 && ::connect(probe, found->ai_addr, found->ai_addrlen) == 0 &&
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&own), &size) == 0) {
        ::inet_ntop(AF_INET, &own.sin_addr, out.data(), out.size());
    }
    if (probe >= 0) {
        ::close(probe);
    }
    ::freeaddrinfo(found);
    return out.data();
}

class ZmqLink final : public Link {
public:
    ZmqLink(const Library& zmq, Context context, const Meeting& meeting)
        : zmq_(zmq), context_(std::move(context)), meeting_(meeting), peers_(meeting.count), received_(zmq) {}
    ~ZmqLink() override { close(std::chrono::milliseconds(0)); }

    Status open() {
        TENON_TRY(await_name());
        std::optional<Keys> keys;
        if (!meeting_.secret.empty()) {
            keys = TENON_TRY(keys_of(zmq_, meeting_.secret));
        }
        std::vector<std::string> own;
        for (std::size_t rank = meeting_.rank + 1; meeting_.failed == nullptr && rank < meeting_.count; ++rank) {
            own.push_back(TENON_TRY(wait_for(rank, keys)));
        }
        const Endpoints all = TENON_TRY(meet(zmq_, context_.get(), meeting_, keys, own, late_));
        for (std::size_t rank = 0; rank < meeting_.rank; ++rank) {
            const std::size_t mine = meeting_.rank - rank - 1;
            if (all[rank].size() <= mine) {
                return environment_problem("the shards' meeting gave no address of shard " + std::to_string(rank));
            }
            TENON_TRY(make(rank, keys, false));
            const std::string& endpoint = all[rank][mine];
            if (zmq_.connect(peers_[rank].socket.get(), endpoint.c_str()) != 0) {
                return environment_problem("shard " + std::to_string(rank) + " cannot be reached at " + endpoint +
                                           ": " + last_error(zmq_));
            }
        }
        return await_connections();
    }

    // Drops the message if the process is gone. The caller notices that when it next receives from the process.
    Status send(std::size_t to, std::span<const std::byte> message) override {
        return zmq_.send(peers_[to].socket.get(), message.data(), message.size(), kDontWait) >= 0 ||
                       zmq_.error() == EAGAIN
                   ? Status()
                   : Status(environment_problem("a message to shard " + std::to_string(to) +
                                                " cannot be sent: " + last_error(zmq_)));
    }

    std::optional<std::span<const std::byte>> receive(std::size_t from) override {
        return received_.take(peers_[from].socket.get()) ? std::optional(received_.bytes()) : std::nullopt;
    }

    void wait(std::size_t from, std::chrono::milliseconds limit) override {
        items_.clear();
        items_.push_back({.socket = peers_[from].socket.get()});
        for (const Peer& peer : peers_) {
            if (peer.monitor != nullptr && !peer.gone) {
                items_.push_back({.socket = peer.monitor.get()});
            }
        }
        if (late_.socket != nullptr) {
            items_.push_back({.socket = late_.socket.get()});
        }
        zmq_.poll(items_.data(), static_cast<int>(items_.size()), static_cast<long>(limit.count()));
        if (late_.socket != nullptr && items_.back().revents != 0) {
            answer_late(zmq_, meeting_, late_);
        }
    }

    [[nodiscard]] std::optional<std::size_t> gone() override {
        for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
            if (peers_[rank].monitor != nullptr && has_ended(peers_[rank])) {
                return rank;
            }
        }
        return std::nullopt;
    }

    void close(std::chrono::milliseconds limit) override {
        for (Peer& peer : peers_) {
            if (peer.socket != nullptr) {
                set(zmq_, peer.socket.get(), kLinger, peer.gone ? 0 : static_cast<int>(limit.count()));
                zmq_.monitor(peer.socket.get(), nullptr, 0);
            }
            peer.monitor.reset();
            peer.socket.reset();
        }
        late_.socket.reset();
    }

    [[nodiscard]] std::string address() const override { return meeting_.endpoint; }

private:
    // A cluster may give the name of a process a moment after it has started another one.
    Status await_name() {
        const auto end = std::chrono::steady_clock::now() + std::min(meeting_.limit, kConnectLimit);
        while (!is_by_file() && address_towards(meeting_.endpoint).empty()) {
            if (std::chrono::steady_clock::now() >= end) {
                return input_problem("the host in " + meeting_.endpoint + " has no address that this machine can find",
                                     {}, "set MASTER_ADDR to a name or an address that all shards can reach");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(kGlanceMs));
        }
        return {};
    }

    // Binds the socket for a process with a larger number, and returns where.
    Result<std::string> wait_for(std::size_t rank, const std::optional<Keys>& keys) {
        TENON_TRY(make(rank, keys, true));
        // A new file for each process, so that no process that was linked with an earlier one of this number reconnects
        // to it.
        const std::string endpoint = is_by_file()
                                         ? meeting_.endpoint + "-" + std::to_string(meeting_.rank) + "-" +
                                               std::to_string(rank) + "-" + std::to_string(std::random_device()())
                                     : meeting_.rank == 0 ? where_to_bind(meeting_, "*")
                                                          : "tcp://" + address_towards(meeting_.endpoint) + ":*";
        void* const socket = peers_[rank].socket.get();
        if (zmq_.bind(socket, endpoint.c_str()) != 0) {
            return environment_problem("shard " + std::to_string(meeting_.rank) + " cannot wait for shard " +
                                       std::to_string(rank) + " at " + endpoint + ": " + last_error(zmq_));
        }
        std::array<char, 256> bound{};
        std::size_t size = bound.size();
        zmq_.getsockopt(socket, kLastEndpoint, bound.data(), &size);
        // the others find process 0 by the name by which they have met it
        return is_by_file() || meeting_.rank != 0
                   ? std::string(bound.data())
                   : meeting_.endpoint.substr(0, meeting_.endpoint.rfind(':') + 1) + port_of(bound.data());
    }

    [[nodiscard]] bool is_by_file() const { return meeting_.endpoint.starts_with("ipc://"); }

    Status make(std::size_t rank, const std::optional<Keys>& keys, bool binds) {
        Peer& peer = peers_[rank];
        peer.socket.reset(zmq_.socket(context_.get(), kDealer));
        void* const socket = peer.socket.get();
        if (socket == nullptr) {
            return environment_problem("a socket for the shards cannot be made: " + last_error(zmq_));
        }
        TENON_TRY(use_keys(zmq_, socket, keys, binds));
        const std::string watch = "inproc://ends-" + std::to_string(rank);
        set(zmq_, socket, kLinger, 0);
        set(zmq_, socket, kSendLimit, 0);
        set(zmq_, socket, kReceiveLimit, 0);
        set(zmq_, socket, kSendBuffer, kBuffer);
        set(zmq_, socket, kReceiveBuffer, kBuffer);
        set(zmq_, socket, kHeartbeatMs, kHeartbeat);
        set(zmq_, socket, kHeartbeatLimitMs, kHeartbeatLimit);
        zmq_.monitor(socket, watch.c_str(), kEventDisconnected | kEventHandshakeSucceeded);
        peer.monitor.reset(zmq_.socket(context_.get(), kPair));
        set(zmq_, peer.monitor.get(), kLinger, 0);
        if (zmq_.connect(peer.monitor.get(), watch.c_str()) != 0) {
            return environment_problem("the connections of shards cannot be watched: " + last_error(zmq_));
        }
        return {};
    }

    // Reads what the monitor has told: events of two parts, of which the first begins with the event's number.
    bool has_ended(Peer& peer) {
        Received part(zmq_);
        while (part.take(peer.monitor.get())) {
            std::uint16_t event = 0;
            std::memcpy(&event, part.bytes().data(), std::min(sizeof event, part.bytes().size()));
            peer.has_come = peer.has_come || event == kEventHandshakeSucceeded;
            // strangers come and go before
            peer.gone = peer.gone || (peer.has_come && event == kEventDisconnected);
            while (part.has_more() && part.take(peer.monitor.get())) {
            }
        }
        return peer.gone;
    }

    Status await_connections() {
        // all have come to the meeting, so this takes long only if one has died since
        const auto end = std::chrono::steady_clock::now() + std::min(meeting_.limit, kConnectLimit);
        for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
            Peer& peer = peers_[rank];
            while (peer.monitor != nullptr && !has_ended(peer) && !peer.has_come) {
                if (std::chrono::steady_clock::now() >= end) {
                    return environment_problem("shard " + std::to_string(rank) +
                                               " has come to the meeting, but cannot be connected to shard " +
                                               std::to_string(meeting_.rank) + " (" + meeting_.name + ")");
                }
                if (const std::string why = meeting_.given_up ? meeting_.given_up() : ""; !why.empty()) {
                    return environment_problem(why);
                }
                PollItem item{.socket = peer.monitor.get()};
                zmq_.poll(&item, 1, kGlanceMs);
            }
        }
        return {};
    }

    const Library& zmq_;
    Context context_;
    Meeting meeting_;
    std::vector<Peer> peers_;  // by rank; that of this process is empty
    LateGuests late_;
    Received received_;
    std::vector<PollItem> items_;
};

}  // namespace

Result<std::string> find_library() {
    const Library* const zmq = TENON_TRY(library());
    std::array<int, 3> version{};
    zmq->version(&version[0], &version[1], &version[2]);
    return "libzmq " + std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
}

Result<std::unique_ptr<Link>> open_link(const Meeting& meeting) {
    const Library* const zmq = TENON_TRY(library());
    Context context(zmq->ctx_new());
    if (context == nullptr) {
        return environment_problem("ZeroMQ cannot be started: " + last_error(*zmq));
    }
    keep_memory();
    auto link = std::make_unique<ZmqLink>(*zmq, std::move(context), meeting);
    TENON_TRY(link->open());
    return std::unique_ptr<Link>(std::move(link));
}

}  // namespace tenon::zmq
