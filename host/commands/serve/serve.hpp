// SPDX-License-Identifier: Apache-2.0
// tenon serve: the actions of a policy over HTTP, on a port of loopback and on a Unix socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "commands/serve/batcher.hpp"
#include "commands/serve/serve_metrics.hpp"
#include "commands/serve/served_policy.hpp"
#include "run/start/notice.hpp"
#include "shared/http/message.hpp"

namespace tenon {

struct ServeOptions {
    std::optional<std::uint16_t> port = 0;  // none: the socket alone
    std::filesystem::path socket = {};      // empty: none
    bool open_to_network = false;
    bool follows = false;  // newer checkpoints
    BatchOptions batch = {};
    std::uint32_t clients = 128;     // whose memory is kept; each row of a client counts
    std::chrono::seconds idle{600};  // after which a silent client is forgotten
};

struct ServeAddress {
    std::string http;  // empty: no port
    std::filesystem::path socket;
};

// Opens the policy that `request` describes as for score_checkpoint, and serves it until Ctrl-C or SIGTERM. `listening`
// is called once.
void serve_policy(const ScoringRequest& request, const ServeOptions& options, const Notice& notice,
                  const std::function<void(const ServeAddress&)>& listening, Problems& problems);

// The description of this policy's server (GET /spec).
std::string spec_text(const ServedPolicy& policy, const ServeOptions& options);

// clang-format off
// | request      | what it does                                        |
// |--------------|-----------------------------------------------------|
// | POST /act    | answers observations with actions (act_request.hpp) |
// | POST /reset  | forgets a client                                    |
// | GET /spec    | answers with columns, modes and limits              |
// | GET /metrics | answers with counts in Prometheus' format           |
// clang-format on
HttpHandler serve_routes(const ServedColumns& columns, std::string spec, Batcher& batcher, ServeMetrics& metrics);

}  // namespace tenon
