// SPDX-License-Identifier: Apache-2.0
// Addresses as libzmq binds and connects to them: it binds to no names.
#pragma once

#include <chrono>
#include <string>

#include "base/error/result.hpp"

namespace tenon::zmq {

// "tcp://node5:5557" as "tcp://10.0.0.5:5557" or "tcp://[fd00::5]:5557"; other addresses as they are. Waits so long for
// the name: a cluster may give it a moment after it has started the process.
Result<std::string> numeric(const std::string& endpoint, std::chrono::milliseconds limit);

}  // namespace tenon::zmq
