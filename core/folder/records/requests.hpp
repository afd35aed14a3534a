// SPDX-License-Identifier: Apache-2.0
// Requests of another process to a running run, as `tenon top` makes them. A request is the signal SIGURG with a
// number: no terminal sends this signal, and a process that does not handle it ignores it.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

#include "base/log/log.hpp"

namespace tenon {

// A request: an evaluation at the end of the present round, or another level of log lines.
struct AskedOfRun {
    bool evaluate = false;
    std::optional<Level> level = {};
};

// Handles the signal during its lifetime, only one object at a time, and then restores the earlier handler.
class RequestSignals {
public:
    RequestSignals();
    ~RequestSignals();
    RequestSignals(const RequestSignals&) = delete;
    RequestSignals& operator=(const RequestSignals&) = delete;

    // The requests since the last call. Quick enough for every iteration of the loop.
    static AskedOfRun take() noexcept;

private:
    struct sigaction old_{};
};

enum class Sent : std::uint8_t { kSent, kNotTaken, kFailed };

// Sends the request to a process of this user. kNotTaken: it does not handle the signal (yet), and nothing was sent;
// kFailed: errno says why.
Sent send_request(int process, const AskedOfRun& request);

}  // namespace tenon
