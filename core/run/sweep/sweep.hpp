// SPDX-License-Identifier: Apache-2.0
// Trials of a manifest with other values, each a run for every seed, and the search for the best of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"
#include "run/start/setup.hpp"
#include "run/sweep/journal.hpp"
#include "run/sweep/sweep_file.hpp"

namespace tenon {

struct SweepRequest {
    std::filesystem::path program;      // tenon
    std::vector<std::string> words;     // after `tenon run MANIFEST`
    std::vector<SearchFolder> plugins;  // of --plugins
    std::size_t jobs = 1;               // runs at a time
    std::filesystem::path out;          // out/trial-0/0: the run of trial 0 with seed 0
    bool quiet = false;
};

struct Sweep {
    std::vector<SweepTrial> trials;
    std::ptrdiff_t best = -1;  // -1: none has a score
    bool stopped = false;      // by Ctrl-C
};

// Wires the manifest with the values of the first trial, which finds keys that it does not have, and returns it. Adds
// every problem. Nothing is written.
std::optional<Manifest> check_sweep(const SweepFile& file, const SweepRequest& request, Problems& problems);

// `manifest` is what check_sweep has returned. Goes on where the journal in the folder ends. Also writes best.toml. A
// metric that no run records ends the sweep.
Result<Sweep> run_sweep(const SweepFile& file, const SweepRequest& request, const Manifest& manifest);

}  // namespace tenon
