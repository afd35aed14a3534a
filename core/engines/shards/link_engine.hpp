// SPDX-License-Identifier: Apache-2.0
// The engine of links: a module, lib/tenon/libtenon_link_NAME.so, which is loaded when a run has shards. It connects
// the processes of a group with each other.
#pragma once

#include <array>
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
    // How long processes that come after the meeting has failed are told why.
    std::chrono::milliseconds parting = std::chrono::milliseconds(0);
    // Asked from time to time: why a process will not come, as a sentence; empty: all may.
    std::function<std::string()> given_up = {};
    // Told what does not end the meeting.
    std::function<void(const std::string& sentence)> tell = {};
    // Why this process takes no part; null: it does. It comes only to tell the others, and returns this problem if they
    // have heard it, or if it is process 0.
    const Problem* failed = nullptr;
};

struct LinkEngine {
    // Whether processes meet at an endpoint. False: their launcher connects them, and the endpoint may be empty.
    bool meets_at_endpoint = true;
    // What carries the messages, "libzmq 4.3.4". The problem: it is not on this machine, and what brings it.
    Result<std::string> (*find)() = nullptr;
    // Waits until all processes have come.
    Result<std::unique_ptr<Link>> (*open)(const Meeting& meeting) = nullptr;
};

// "tenon_link_engine": the export of the module.
using GetLinkEngine = const LinkEngine* (*)();

// The names of the engines that exist, for tenon doctor.
inline constexpr std::array<std::string_view, 3> kLinkEngines = {"zmq", "openmpi", "mpich"};

// Maps the module of this name, "zmq", if it is not mapped yet. The problem: there is none.
Result<const LinkEngine*> load_link_engine(std::string_view name);

}  // namespace tenon
