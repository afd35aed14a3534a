// SPDX-License-Identifier: Apache-2.0
// The message of a launcher to a run that it starts through another program, such as ssh. It is the first line of the
// run's standard input. So no shell on the way reads it, and it needs no quotation marks. The launcher keeps the input
// open; its end tells the run that the launcher has ended, as signals do not reach other machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/launch_site.hpp"

namespace tenon {

// The first words that such a run prints: it has begun.
inline constexpr std::string_view kRemoteBegins = "tenon: on ";

// The exit code of a run that was told to leave before it had begun.
inline constexpr int kStoppedEarly = 143;

struct RemoteRequest {
    LaunchSite site;                 // of the launcher
    std::vector<std::string> words;  // after `tenon run`
};

// The request as one line of text.
std::string remote_request_text(const RemoteRequest& request);

Result<RemoteRequest> parse_remote_request(std::string_view line);

}  // namespace tenon
