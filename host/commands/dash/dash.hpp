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

// clang-format off
// | GET                                               | response                                                 |
// |---------------------------------------------------|----------------------------------------------------------|
// | /                                                 | the page, and its files                                  |
// | /api/runs                                         | all runs                                                 |
// | /api/run?id=ID                                    | one run                                                  |
// | /api/curves?metric=M&runs=ID,ID&x=frames&points=N | a metric of some runs                                    |
// | /api/wiring?id=ID                                 | what `tenon explain` prints for the run                  |
// | /api/video?id=ID&name=NAME                        | a video of the run                                       |
// | /api/events                                       | a stream with an event "runs" whenever a run has changed |
// | /metrics                                          | the latest numbers in Prometheus' format                 |
// clang-format on
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
