// SPDX-License-Identifier: Apache-2.0
// Links by ZeroMQ: how processes that are started in any order find each other, and what carries their messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "compute/shards/link.hpp"

namespace tenon::zmq {

struct Meeting {
    std::size_t rank = 0;
    std::size_t count = 1;
    std::string endpoint;     // where process 0 waits for the others: "ipc:///tmp/x/meeting", "tcp://node5:29500"
    std::string secret = {};  // of all processes; empty: none, and then the endpoint must be on this machine
    std::string name = {};    // of this process, for sentences
    std::chrono::milliseconds limit = std::chrono::minutes(10);
    // Asked from time to time by process 0: why one of the others will not come, as a sentence; empty: they may.
    std::function<std::string()> given_up = {};
};

// The problem: there is no ZeroMQ here.
Status check_library();

// Waits until all processes have come.
Result<std::unique_ptr<Link>> open_link(const Meeting& meeting);

}  // namespace tenon::zmq
