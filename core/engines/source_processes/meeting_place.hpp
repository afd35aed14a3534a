// SPDX-License-Identifier: Apache-2.0
// Where a trainer waits for workers that others start (collector.listen), and where they connect (tenon collect).
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "engines/process/door.hpp"

namespace tenon {

// Checks an address: "tcp://HOST:PORT", or "ipc:///PATH" for processes of one machine. `key`: who has given it, for
// sentences; `listens`: port 0 is a free one.
Status check_address(std::string_view address, std::string_view key, bool listens);

// What this process tells about itself. It reads TENON_KEY, which an address on a network needs.
Result<DoorSide> door_side(const std::string& address, std::string_view key);
// The engine of ZeroMQ.
Result<const DoorEngine*> load_door_engine();

// The process that `tenon collect` has become: it collects for the trainer at the address, and returns its exit code.
// `stays`: when the run has ended, it waits for another one.
int serve_connection(const std::string& address, bool stays);

}  // namespace tenon
