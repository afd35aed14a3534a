// SPDX-License-Identifier: Apache-2.0
// The engine of links: a module, lib/tenon/libtenon_link_NAME.so, which is loaded when a run has shards. It connects
// the processes of a group with each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "engines/shards/link.hpp"

namespace tenon {

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

struct LinkEngine {
    // Whether processes meet at an endpoint. False: their launcher connects them, and the endpoint may be empty.
    bool meets_at_endpoint = true;
    // The problem: what the engine needs is not on this machine, and what brings it.
    Status (*check)() = nullptr;
    // Waits until all processes have come.
    Result<std::unique_ptr<Link>> (*open)(const Meeting& meeting) = nullptr;
};

// "tenon_link_engine": the export of the module.
using GetLinkEngine = const LinkEngine* (*)();

// Maps the module of this name, "zmq", if it is not mapped yet. The problem: there is none.
Result<const LinkEngine*> load_link_engine(std::string_view name);

}  // namespace tenon
