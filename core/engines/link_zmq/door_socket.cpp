// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engines/link_zmq/door.hpp"

namespace tenon::zmq {
namespace {

constexpr int kLingerMs = 2000;
constexpr int kReconnect = 100;
constexpr std::int64_t kLongest = 1 << 20;

// A connection whose other machine answers nothing is closed after 15 s.
void watch_machine(const Library& zmq, void* socket) {
    for (const auto& [option, value] :
         {std::pair(kKeepAlive, 1), std::pair(kKeepAliveIdle, 5), std::pair(kKeepAliveInterval, 5),
          std::pair(kKeepAliveCount, 2), std::pair(kUnansweredMs, 15'000)}) {
        set(zmq, socket, option, value);
    }
}

}  // namespace

Result<Socket> door_socket(const Library& zmq, void* context, SocketKind kind, const DoorSide& side, bool binds) {
    Socket out(zmq.socket(context, kind));
    if (out == nullptr) {
        return environment_problem("a socket of ZeroMQ cannot be made: " + last_error(zmq));
    }
    std::optional<Keys> keys;
    if (!side.secret.empty()) {
        keys = TENON_TRY(keys_of(zmq, side.secret, "workers"));
    }
    TENON_TRY(use_keys(zmq, out.get(), keys, binds));
    set(zmq, out.get(), kLinger, kLingerMs);
    set(zmq, out.get(), kReconnectMs, kReconnect);
    set(zmq, out.get(), kSendLimit, 0);
    set(zmq, out.get(), kReceiveLimit, 0);
    set(zmq, out.get(), kIpv6, side.endpoint.find('[') != std::string::npos ? 1 : 0);
    zmq.setsockopt(out.get(), kLongestMessage, &kLongest, sizeof kLongest);
    watch_machine(zmq, out.get());
    return out;
}

Result<Socket> watch(const Library& zmq, void* context, void* socket, int events) {
    constexpr const char* kPlace = "inproc://events";
    Socket out(zmq.socket(context, kPair));
    set(zmq, out.get(), kLinger, 0);
    if (zmq.monitor(socket, kPlace, events) != 0 || zmq.connect(out.get(), kPlace) != 0) {
        return environment_problem("connections cannot be watched: " + last_error(zmq));
    }
    return out;
}

// An event has two parts, of which the first begins with its number.
int next_event(const Library& zmq, void* monitor) {
    Received part(zmq);
    if (!part.take(monitor)) {
        return 0;
    }
    std::uint16_t event = 0;
    std::memcpy(&event, part.bytes().data(), std::min(sizeof event, part.bytes().size()));
    while (part.has_more() && part.take(monitor)) {
    }
    return event;
}

}  // namespace tenon::zmq
