// SPDX-License-Identifier: Apache-2.0
// How long a whole run trains: collecting and updating, compiling included; evaluations, records and checkpoints not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "error/problem.hpp"
#include "run/notice.hpp"
#include "run/setup.hpp"

namespace tenon {

struct ManifestTimes {
    std::string executor;
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    double seconds = 0;
    double frames_per_s = 0;
    std::optional<double> return_mean;  // of one evaluation at the end, where the manifest says how to
};

// Runs it in a folder that is gone afterwards. What the run has to say goes to `notice`.
std::optional<ManifestTimes> benchmark_manifest(Request request, const Notice& notice, Problems& problems);

}  // namespace tenon
