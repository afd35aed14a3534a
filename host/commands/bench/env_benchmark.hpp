// SPDX-License-Identifier: Apache-2.0
// Measures an env, given by name or by a manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/bench/lane_speed.hpp"
#include "config/manifest/override.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct EnvBenchmarkRequest {
    std::string env;                    // "library/component" or, if it ends in .toml, a manifest
    std::vector<Override> overrides;    // of [env], with its wrappers and transforms, [isolation] and [plugins]
    std::optional<std::int64_t> lanes;  // none: those of the manifest, or 64
    std::int64_t threads = 1;
    std::int64_t workers = 0;  // separate processes; 0: as the manifest says, or none
    double seconds = 1;
    std::vector<SearchFolder> plugins;
};

std::optional<EnvBench> benchmark_env(const EnvBenchmarkRequest& request, Problems& problems);

}  // namespace tenon
