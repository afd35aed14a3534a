// SPDX-License-Identifier: Apache-2.0
// Measures how long two shards of a run take to exchange gradients, in turns with a plain TCP connection between the
// same two processes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct ClusterBenchmarkRequest {
    std::vector<std::string> again;  // the command that starts the other process, where no launcher does
    std::vector<std::size_t> sizes;  // of exchanges, in floats; the first process tells the second one
    double seconds = 1;              // for all sizes
};

struct MeasuredExchange {
    std::size_t floats = 0;
    double median_us = 0;
    double p90_us = 0;
    double raw_median_us = 0;  // by plain TCP
    double raw_p90_us = 0;
    std::size_t count = 0;  // of exchanges that were measured, each way
};

struct ClusterTimes {
    std::string link;
    std::string place;  // "2 processes on node5", "node5 and node7"
    std::vector<MeasuredExchange> exchanges;
};

// Whether a launcher, or another process of this benchmark, has started this one as the second of two.
Result<bool> is_second_in_cluster();

// Nothing: this process is the second one, and the first one has the times.
Result<std::optional<ClusterTimes>> benchmark_cluster(const ClusterBenchmarkRequest& request);

// Predicts the time of an exchange of so many floats between so many shards from that between two, by how often each
// shard sends its gradients. Assumes a network that gives each pair its full speed.
double predicted_us(double of_two, std::size_t floats, std::size_t shards);

}  // namespace tenon
