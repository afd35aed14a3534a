// SPDX-License-Identifier: Apache-2.0
// How long what a manifest's run computes takes: an objective's terms on one minibatch, a whole update, or acting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exec/program.hpp"
#include "run/setup.hpp"
#include "run/timing.hpp"

namespace tenon {

enum class Subject : std::uint8_t {
    kTerms,      // of one minibatch, moving nothing; gathering its rows is not counted
    kGradients,  // the same with gradients
    kUpdate,  // with the optimiser's step, targets and, from a buffer, choosing and gathering rows and their priorities
    kAct,     // the actions of all lanes, with the looks that are taken at them
    kMode     // the same as evaluations have them where nothing is drawn
};

struct ProgramTimes {
    std::string executor;
    std::string dtype;
    std::int64_t threads = 1;
    std::int64_t lanes = 1;
    Times times;
    std::vector<Spent> spent;  // of terms and gradients by instruction; empty on the reference executor
};

// The manifest of that name which is installed for measuring, or, where it ends in .toml, the file.
std::filesystem::path benchmark_manifest(const std::string& name);
std::vector<std::string> benchmark_names();

// Collects what it needs, then does it again and again, as time_calls does.
std::optional<ProgramTimes> benchmark_program(const Request& request, Subject subject, double seconds,
                                              Problems& problems);

}  // namespace tenon
