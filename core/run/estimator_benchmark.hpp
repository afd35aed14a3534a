// SPDX-License-Identifier: Apache-2.0
// How long an estimator takes over a batch that lanes have collected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/dtype.hpp"
#include "error/problem.hpp"
#include "run/timing.hpp"

namespace tenon {

struct EstimatorBenchmarkRequest {
    std::string name;  // "gae"
    std::string executor = "auto";
    DType real = DType::kF32;
    std::int64_t steps = 512;
    std::int64_t lanes = 32;
    double seconds = 1;
};

struct EstimatorTimes {
    std::string executor;
    Times times;
};

// Numbers are drawn, and a tenth of the steps ends an episode.
std::optional<EstimatorTimes> benchmark_estimator(const EstimatorBenchmarkRequest& request, Problems& problems);

}  // namespace tenon
