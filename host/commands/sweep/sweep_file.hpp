// SPDX-License-Identifier: Apache-2.0
// SWEEP.toml: one or more manifests, which of their values to vary, and what to compare the trials by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/sweep/search/population.hpp"
#include "commands/sweep/search/space.hpp"

namespace tenon {

struct SpaceKey {
    std::string key;                  // of the manifest, dotted
    std::vector<std::string> values;  // of choices, as TOML
    Place place;
};

struct SweepBase {
    std::filesystem::path file;
    std::string name;  // as it is written
    Place place;
};

// Successive halving: a trial is compared with others at each of these lengths, and at its end.
struct HalvingTable {
    std::vector<std::int64_t> rungs;
    bool in_updates = false;  // else in frames
    std::size_t factor = 3;   // the best of so many go on
    Place place;
};

struct PopulationTable {
    std::int64_t interval = 0;  // in the unit of the run
    PopulationRules rules;
    Place place;
};

struct SweepFile {
    std::vector<SweepBase> bases;
    std::string metric;
    Place metric_place;
    bool maximise = true;
    std::size_t trials = 0;
    std::size_t batch = 1;  // trials that TPE proposes from the same results
    std::vector<std::int64_t> seeds;
    std::string search;  // "grid", "random", "tpe", "cost"
    std::uint64_t seed = 0;
    std::optional<HalvingTable> halving;
    std::optional<PopulationTable> population;
    std::vector<SpaceKey> keys;  // with several bases, the first one is "base" and its values are their names
    Space space;                 // a dimension for each key
    std::string text;            // everything that the trials depend on; not their number
};

// Adds every problem that can be found without the manifest; then nothing.
std::optional<SweepFile> read_sweep(const std::filesystem::path& path, Problems& problems);

// The base at a point.
const SweepBase& base_at(const SweepFile& file, const Point& point);

// The value of a key at a coordinate of a point, as TOML.
std::string value_text(const SpaceKey& key, const Dimension& dimension, double coordinate);

}  // namespace tenon
