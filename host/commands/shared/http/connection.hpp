// SPDX-License-Identifier: Apache-2.0
// One connection of the server, only for the server's own files: requests are read, answered and written until it ends.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include "shared/http/guard.hpp"
#include "shared/http/server.hpp"
#include "shared/http/shared_room.hpp"

namespace tenon {

using HttpSocket = boost::asio::generic::stream_protocol::socket;  // of a port or a file

// What all connections of a server share; it outlives them.
struct HttpServed {
    HttpOptions options;
    HttpHandler handler;
    HttpGuard guard;
    ConnectionPlaces places;
    BodyBytes bodies;
};

// Serves the connection on its executor, or closes it if all places are taken. local: it came through the file of a
// Unix socket.
void serve_connection(HttpSocket socket, bool local, HttpServed& served);

}  // namespace tenon
