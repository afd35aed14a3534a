// SPDX-License-Identifier: Apache-2.0
// Measures an estimator on a batch collected by several lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/error/problem.hpp"
#include "commands/bench/timing.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

struct EstimatorBenchmarkRequest {
    std::string name;  // "gae"
    std::string executor = "auto";
    DType real = DType::kF32;
    std::int64_t steps = 512;
    std::int64_t lanes = 32;
    double seconds = 1;
    std::string device = "cpu";  // "cuda": columns are on the device, and many calls are enqueued before one wait
};

struct EstimatorTimes {
    std::string executor;
    Times times;
    std::vector<Spent> spent;  // by instruction; empty if the executor cannot measure it
};

// The numbers are random, and a tenth of the steps end an episode.
std::optional<EstimatorTimes> benchmark_estimator(const EstimatorBenchmarkRequest& request, Problems& problems);

}  // namespace tenon
