// SPDX-License-Identifier: Apache-2.0
// Measures an env, given by name, with its default options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/bench.hpp"
#include "error/problem.hpp"
#include "plugin/search_path.hpp"

namespace tenon {

struct EnvBenchmarkRequest {
    std::string component;
    std::int64_t lanes = 64;
    std::int64_t threads = 1;
    std::int64_t workers = 0;  // separate processes; 0: in this one
    std::vector<SearchFolder> plugins;
};

std::optional<EnvBench> benchmark_env(const EnvBenchmarkRequest& request, Problems& problems);

}  // namespace tenon
