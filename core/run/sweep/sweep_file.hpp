// SPDX-License-Identifier: Apache-2.0
// SWEEP.toml: a manifest, which of its values to vary, and what to compare the trials by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "run/search/space.hpp"

namespace tenon {

struct SpaceKey {
    std::string key;                  // of the manifest, dotted
    std::vector<std::string> values;  // of choices, as TOML
    Place place;
};

struct SweepFile {
    std::filesystem::path base;
    Place base_place;
    std::string metric;
    Place metric_place;
    bool maximise = true;
    std::size_t trials = 0;
    std::size_t batch = 1;  // trials that TPE proposes from the same results
    std::vector<std::int64_t> seeds;
    std::string search;  // "grid", "random", "tpe"
    std::uint64_t seed = 0;
    std::vector<SpaceKey> keys;
    Space space;       // a dimension for each key
    std::string text;  // everything that the trials depend on; not their number
};

// Adds every problem that can be found without the manifest; then nothing.
std::optional<SweepFile> read_sweep(const std::filesystem::path& path, Problems& problems);

// The value of a key at a coordinate of a point, as TOML.
std::string value_text(const SpaceKey& key, const Dimension& dimension, double coordinate);

}  // namespace tenon
