// SPDX-License-Identifier: Apache-2.0
// Streams of bytes between this process and others that connect to it, whoever has started them. An engine is a module
// that implements them (core/engines/link_zmq). This process has the door, the others are its guests. A guest waits
// until the door takes it; its stream then carries bytes until either side closes it, and the guest waits again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// What both sides tell about themselves.
struct DoorSide {
    std::string endpoint;     // "tcp://node5:5557", "ipc:///tmp/x/door"; the door's port may be 0, for a free one
    std::string secret = {};  // of both; empty: none, and the endpoint is on this machine
    std::string build;        // they must have the same
    std::string level;        // of vector instructions
    std::string name;         // for sentences: "node7, process 812"
};

struct DoorGuest {
    std::string name;
    int stream = -1;  // a socket, which belongs to whoever has called take()
};

class Door {
public:
    Door() = default;
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    // Tells all guests that nobody will be taken any more.
    virtual ~Door() = default;

    // The guest that has waited longest; nothing if none comes within this time.
    virtual Result<std::optional<DoorGuest>> take(std::chrono::milliseconds limit) = 0;
    // Sentences about those who were not let in, each once.
    virtual std::vector<std::string> take_notices() = 0;
    // With the port that was free.
    [[nodiscard]] virtual std::string endpoint() const = 0;
};

// What a guest does.
struct Visit {
    DoorSide side;
    std::chrono::milliseconds limit;  // of the wait for the door
    // It is taken. Returns a socket of whom the stream is for; it belongs to the engine.
    std::function<Result<int>()> begin = {};
    // The stream has ended. False: it does not wait for another one.
    std::function<bool()> end = {};
    std::function<void(const std::string& sentence)> tell = {};
};

struct DoorEngine {
    Result<std::unique_ptr<Door>> (*open)(const DoorSide& side) = nullptr;
    // Until the door is closed, or `end` says so. The problem: the door is not there, refuses, or is lost.
    Status (*visit)(const Visit& visit) = nullptr;
};

// "tenon_door_engine": the export of the module.
using GetDoorEngine = const DoorEngine* (*)();

}  // namespace tenon
