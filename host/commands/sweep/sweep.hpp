// SPDX-License-Identifier: Apache-2.0
// Trials of a manifest with other values, each a run for every seed, and the search for the best of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "commands/sweep/journal.hpp"
#include "commands/sweep/sweep_file.hpp"
#include "run/start/setup.hpp"
#include "shared/seeds/machines.hpp"

namespace tenon {

struct SweepRequest {
    std::filesystem::path program;      // tenon
    std::vector<std::string> words;     // after `tenon run`, before the manifest
    std::vector<SearchFolder> plugins;  // of --plugins
    Machines machines = {};             // that make them
    std::filesystem::path out;          // out/trial-0/0: the run of trial 0 with seed 0
    bool quiet = false;
};

struct Sweep {
    std::vector<SweepTrial> journal;   // every leg, in the order in which they ended
    std::vector<SweepTrial> trials;    // the last leg of each
    std::vector<std::size_t> front;    // of search = "cost": the trials that no other one beats in score and seconds
    std::vector<std::string> reached;  // by leg: where it ends, "2000 frames"; the last is "end"
    std::ptrdiff_t best = -1;          // of the trials that ran furthest; -1: none has a score
    bool stopped = false;              // by Ctrl-C
};

// The length that the trials of a sweep have in common.
struct SweepLength {
    std::int64_t length = 0;  // of the longest base
    std::string unit;
};

// Wires each base with the values of the first trial, which finds keys that it does not have. Adds every problem.
// Nothing is written.
std::optional<SweepLength> check_sweep(const SweepFile& file, const SweepRequest& request, Problems& problems);

// `length` is what check_sweep has returned. Goes on where the journal in the folder ends. Also writes best.toml. A
// metric that no run records ends the sweep.
Result<Sweep> run_sweep(const SweepFile& file, const SweepRequest& request, const SweepLength& length);

}  // namespace tenon
