// SPDX-License-Identifier: Apache-2.0
// Answers batches of requests: the clients' seats, the policy, and the counts of both.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "commands/serve/batcher.hpp"
#include "commands/serve/client_table.hpp"
#include "commands/serve/serve_metrics.hpp"
#include "commands/serve/served_policy.hpp"

namespace tenon {

class Serving {
public:
    Serving(ServedPolicy& policy, std::uint32_t seats, std::chrono::milliseconds idle, ServeMetrics& metrics)
        : policy_(policy), clients_(seats, idle), metrics_(metrics) {}

    // Batcher::Compute.
    void answer(std::span<const std::unique_ptr<ServeJob>> jobs);

private:
    void answer(std::span<const std::unique_ptr<ServeJob>> jobs, bool samples);
    bool add_rows(ServeJob& job, std::vector<ServedRow>& rows);

    ServedPolicy& policy_;
    ClientTable clients_;
    ServeMetrics& metrics_;
};

}  // namespace tenon
