// SPDX-License-Identifier: Apache-2.0
// Measures the computations of a manifest's run: an objective's terms on one minibatch, a whole update, or acting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/bench/timing.hpp"
#include "compute/exec/program.hpp"
#include "run/start/setup.hpp"

namespace tenon {

enum class Subject : std::uint8_t {
    kTerms,      // of one minibatch without a step; gathering its rows is not included
    kGradients,  // the same with gradients
    kUpdate,     // with optimiser, targets and, for a buffer, choosing and gathering rows and updating priorities
    kAct,        // the actions of all lanes, including validation
    kMode        // the same as in evaluations without random actions
};

struct ProgramTimes {
    std::string executor;
    std::string device;  // "cpu", or run.device if updates are computed on it
    std::string dtype;
    std::int64_t threads = 1;
    std::int64_t lanes = 1;
    Times times;
    std::vector<Spent> spent;   // of terms and gradients by instruction; empty on the reference executor
    Enqueued enqueued;          // of an update; without choosing and gathering rows
    std::size_t gradients = 0;  // of an update: how many numbers
    std::size_t messages = 0;   // of an update of shards, before its gradients: values of all rows
};

// The installed benchmark manifest with this name or, if it ends in .toml, the file.
std::filesystem::path benchmark_manifest(const std::string& name);
std::vector<std::string> benchmark_names();

// Collects the necessary frames, then repeats the computation, as time_calls does. `linked`: an update sums its
// gradients by the link between devices, of this process alone.
std::optional<ProgramTimes> benchmark_program(const Request& request, Subject subject, double seconds,
                                              Problems& problems, bool linked = false);

}  // namespace tenon
