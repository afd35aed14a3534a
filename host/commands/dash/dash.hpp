// SPDX-License-Identifier: Apache-2.0
// tenon dash: the routes of the page, and the server that answers them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "shared/http/message.hpp"
#include "shared/watch/run_watch.hpp"

namespace tenon {

// GET /            the page, and its files
// GET /api/runs    all runs            /api/curves?metric=M&runs=ID,ID&x=frames&points=N    a metric of some
// GET /api/run?id=ID    one run        /api/wiring?id=ID    /api/video?id=ID&name=NAME
// GET /api/events  a stream with an event "runs" whenever a run has changed
// GET /metrics     the latest numbers in Prometheus' format
// Nothing changes a run. `program`: tenon itself, which explains a manifest.
HttpHandler dash_routes(const RunWatch& watch, std::filesystem::path program);

struct DashOptions {
    std::vector<std::filesystem::path> paths;
    std::uint16_t port = 0;
    bool open_to_network = false;
};

// Serves until Ctrl-C or SIGTERM. `listening` is called once with the address.
Status serve_dash(const DashOptions& options, const std::function<void(const std::string& address)>& listening);

}  // namespace tenon
