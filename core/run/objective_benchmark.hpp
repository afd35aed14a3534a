// SPDX-License-Identifier: Apache-2.0
// How long an objective's terms, or its terms and gradients, take on one minibatch of a manifest's run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/program.hpp"
#include "run/setup.hpp"
#include "run/timing.hpp"

namespace tenon {

struct ObjectiveTimes {
    std::string executor;
    std::string dtype;
    std::int64_t threads = 1;
    Times times;
    std::vector<Spent> spent;  // by instruction; empty on the reference executor
};

// The manifest of that name which is installed for measuring, or, where it ends in .toml, the file.
std::filesystem::path benchmark_manifest(const std::string& name);

// Collects what a minibatch needs, then computes its terms again and again, with gradients or without, and moves
// nothing, as time_calls does it, and then tells where the time goes. Gathering rows is not counted.
std::optional<ObjectiveTimes> benchmark_objective(const Request& request, bool gradients, double seconds,
                                                  Problems& problems);

}  // namespace tenon
