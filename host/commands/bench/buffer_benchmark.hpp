// SPDX-License-Identifier: Apache-2.0
// Measures a buffer, given by name, with default options unless others are given: choosing a batch's rows from a full
// ring buffer and, if it uses them, updating priorities. With `values` also gathering observations and next
// observations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/bench/timing.hpp"
#include "config/manifest/override.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct BufferBenchmarkRequest {
    std::string component;
    std::vector<Override> overrides = {};  // buffer.OPTION=VALUE
    std::int64_t frames = 1'000'000;
    std::int64_t lanes = 1;
    std::int64_t rows = 256;
    std::int64_t values = 0;          // of an observation, 4 bytes each; 0: nothing is gathered
    std::filesystem::path path = {};  // the folder of a buffer on a disk, which is made; empty: in memory
    double seconds = 1;
    std::vector<SearchFolder> plugins;
    std::string device = "cpu";  // of a buffer that chooses rows on a device
    std::string part = "both";   // "sample", "prioritise"
};

struct BufferTimes {
    bool takes_priorities = false;
    Times times;
};

std::optional<BufferTimes> benchmark_buffer(const BufferBenchmarkRequest& request, Problems& problems);

}  // namespace tenon
