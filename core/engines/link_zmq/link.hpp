// SPDX-License-Identifier: Apache-2.0
// Links by ZeroMQ: how processes that are started in any order find each other, and what carries their messages.
#pragma once

#include <memory>
#include <string>

#include "engines/shards/link_engine.hpp"

namespace tenon::zmq {

// "libzmq 4.3.4". The problem: there is none.
Result<std::string> find_library();

// Waits until all processes have come.
Result<std::unique_ptr<Link>> open_link(const Meeting& meeting);

}  // namespace tenon::zmq
