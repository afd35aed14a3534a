// SPDX-License-Identifier: Apache-2.0
// The meeting of a group's processes: process 0 hears where each of the others is reached, and tells it to all.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/link_zmq/keys.hpp"
#include "engines/link_zmq/link.hpp"
#include "engines/link_zmq/socket.hpp"

namespace tenon::zmq {

// Where process `from` waits for each process with a larger number.
using Endpoints = std::vector<std::vector<std::string>>;

// The address to which process 0 binds a socket that the others reach at the meeting's host and this port. libzmq binds
// to no names, and on the machine itself its own name may mean the loopback.
std::string where_to_bind(const Meeting& meeting, const std::string& port);

// Where process 0 answers others that come when all have met. Such a process may replace one that has died, which is
// noticed later than it comes; so it is refused only if no connection has ended for some time since.
struct LateGuests {
    Socket socket;                                                            // null: none can come to this process
    std::vector<std::string> names = {};                                      // of those that have met, by rank
    std::map<std::string, std::chrono::steady_clock::time_point> since = {};  // by the name of who has come late
};

void answer_late(const Library& zmq, const Meeting& meeting, LateGuests& late);

// `own`: of this process. Returns those of all.
Result<Endpoints> meet(const Library& zmq, void* context, const Meeting& meeting, const std::optional<Keys>& keys,
                       const std::vector<std::string>& own, LateGuests& late);

}  // namespace tenon::zmq
