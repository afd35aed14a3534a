// SPDX-License-Identifier: Apache-2.0
// The training time of a whole run: collecting and updating, including compilation, but not evaluations, records and
// checkpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error/problem.hpp"
#include "run/start/notice.hpp"
#include "run/start/setup.hpp"

namespace tenon {

struct ManifestTimes {
    std::string executor;
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    double seconds = 0;
    double frames_per_s = 0;
    std::optional<double> return_mean;  // of an evaluation at the end, if the manifest defines one
};

// Runs it in a temporary folder. Messages of the run go to `notice`.
std::optional<ManifestTimes> benchmark_manifest(Request request, const Notice& notice, Problems& problems);

}  // namespace tenon
