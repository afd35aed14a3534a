// SPDX-License-Identifier: Apache-2.0
// The same manifest with several seeds, each a run in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

struct SeedsRequest {
    std::filesystem::path program;   // tenon
    std::vector<std::string> words;  // after `tenon run`: the manifest and options, without --seed and --out
    std::vector<std::int64_t> seeds;
    std::size_t jobs = 1;       // at a time
    std::filesystem::path out;  // a folder for each seed is made here: out/0, and its log out/0.log
    std::int64_t length = 0;    // of each run, for the progress line
    std::string unit;
    bool quiet = false;
};

// Takes the length of a run and its unit from its manifest.
void set_length(SeedsRequest& request, const Manifest& manifest);

struct SeedRun {
    std::int64_t seed = 0;
    std::filesystem::path folder;
    int code = -1;      // exit code; -1: it has not begun
    std::string error;  // of a failed one: a sentence
    double frames = 0;  // NaN here and below: unknown
    double last = 0;    // evaluations
    double best = 0;
    double seconds = 0;
    std::vector<std::string> words = {};  // after those of the request
};

struct SeedRuns {
    std::vector<SeedRun> runs;
    bool stopped = false;  // by Ctrl-C
};

// A run that has not begun.
SeedRun seed_run(std::int64_t seed, std::filesystem::path folder);

// Creates the folder of several runs, and locks it until the descriptor is closed.
Result<FileDescriptor> lock_runs(const std::filesystem::path& out);

// Runs in folders whose parents exist. The caller has locked theirs.
SeedRuns launch_runs(const SeedsRequest& request, std::vector<SeedRun> runs);

// Folders that hold a run are resumed, so that the same request finishes what was killed.
Result<SeedRuns> run_seeds(const SeedsRequest& request);

}  // namespace tenon
