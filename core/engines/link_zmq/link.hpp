// SPDX-License-Identifier: Apache-2.0
// Links by ZeroMQ: how processes that are started in any order find each other, and what carries their messages.
#pragma once

#include <memory>

#include "engines/shards/link_engine.hpp"

namespace tenon::zmq {

// The problem: there is no ZeroMQ here.
Status check_library();

// Waits until all processes have come.
Result<std::unique_ptr<Link>> open_link(const Meeting& meeting);

}  // namespace tenon::zmq
