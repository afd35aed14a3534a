// SPDX-License-Identifier: Apache-2.0
// The meeting of a group's processes: process 0 hears where each of the others is reached, and tells it to all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/link_zmq/keys.hpp"
#include "engines/link_zmq/link.hpp"

namespace tenon::zmq {

// Where process `from` waits for each process with a larger number.
using Endpoints = std::vector<std::vector<std::string>>;

// The address to which process 0 binds a socket that the others reach at the meeting's host and this port. libzmq binds
// to no names, and on the machine itself its own name may mean the loopback.
std::string where_to_bind(const Meeting& meeting, const std::string& port);

// `own`: of this process. Returns those of all.
Result<Endpoints> meet(const Library& zmq, void* context, const Meeting& meeting, const std::optional<Keys>& keys,
                       const std::vector<std::string>& own);

}  // namespace tenon::zmq
