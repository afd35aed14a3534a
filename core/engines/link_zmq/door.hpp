// SPDX-License-Identifier: Apache-2.0
// A door by ZeroMQ, and visits at one (engines/process/door.hpp).
#pragma once

#include <memory>
#include <string>

#include "engines/link_zmq/keys.hpp"
#include "engines/link_zmq/socket.hpp"
#include "engines/process/door.hpp"

namespace tenon::zmq {

inline constexpr const char* kDoorHello = "tenon worker 1";  // the first line of the first message of a guest

// A socket of this kind that binds or connects with the key of both sides. A peer whose machine is gone is noticed by
// the kernel: one that is only stopped, as by Ctrl-Z, keeps its connection.
Result<Socket> door_socket(const Library& zmq, void* context, SocketKind kind, const DoorSide& side, bool binds);

// What its monitor tells of these events.
Result<Socket> watch(const Library& zmq, void* context, void* socket, int events);
// The next event; 0: none.
int next_event(const Library& zmq, void* monitor);

Result<std::unique_ptr<Door>> open_door(const DoorSide& side);
Status visit(const Visit& visit);

}  // namespace tenon::zmq
