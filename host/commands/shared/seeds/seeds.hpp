// SPDX-License-Identifier: Apache-2.0
// The same manifest with several seeds, each a run in a separate process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "config/manifest/manifest.hpp"
#include "shared/seeds/machines.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

struct SeedsRequest {
    std::filesystem::path program;   // tenon
    std::vector<std::string> words;  // after `tenon run`: the manifest and options, without --seed and --out
    std::vector<std::int64_t> seeds;
    Machines machines = {};     // that make them
    std::filesystem::path out;  // a folder for each seed is made here: out/0, and its log out/0.log
    std::int64_t length = 0;    // of each run, for the progress line
    std::int64_t total = 0;     // of all runs, roughly; 0: their number times the length
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
    double seconds = 0;                   // of all processes that have worked on it, as far as it is known
    std::vector<std::string> words = {};  // after those of the request
};

struct SeedRuns {
    std::vector<SeedRun> runs;
    bool stopped = false;  // by Ctrl-C
};

// A run that has not begun.
SeedRun seed_run(std::int64_t seed, std::filesystem::path folder);

// Creates the folder of several runs, and locks it until the descriptor is closed.
Result<PrivateDescriptor> lock_runs(const std::filesystem::path& out);

// Makes runs in folders whose parents exist. The caller has locked these.
SeedRuns launch_runs(const SeedsRequest& request, std::vector<SeedRun> runs);

// Runs that depend on the results of earlier ones.
struct RunSource {
    // The next run; nothing: another run must end first.
    std::function<Result<std::optional<SeedRun>>()> next;
    // Called for each run that has ended, unless it was stopped.
    std::function<Status(const SeedRun&)> ended;
};

// Makes runs until the source has no more, or has a problem: the other runs then stop with a checkpoint. Returns
// whether Ctrl-C has stopped it.
Result<bool> launch_runs_from(const SeedsRequest& request, RunSource source);

// Checks that folders which already hold a run have this manifest, apart from the seed.
Status check_same_manifest(const SeedsRequest& request, const Wiring& wiring);

// Resumes runs in folders that hold one, so that the same request finishes what was killed.
Result<SeedRuns> run_seeds(const SeedsRequest& request);

}  // namespace tenon
