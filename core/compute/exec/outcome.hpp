// SPDX-License-Identifier: Apache-2.0
// The results of one run of a program, kept for comparison with another executor.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"

namespace tenon {

struct Outcome {
    Status status;
    std::vector<double> losses;
    std::vector<double> metrics;
    std::vector<double> controls;
    std::vector<std::vector<std::byte>> outputs;  // none for outputs that the call does not want
    std::vector<std::vector<double>> gradients;   // by stage, concatenated over its networks; 0 if there is none
};

// A dry run: it changes neither parameters, states nor the memory of the call.
Outcome try_out(Program& program, const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner,
                const Call& call);

// The tolerated difference, which covers rounding only.
double tolerance(DType real);

// How a sentence names the two executors.
struct Sides {
    std::string_view ours = "compiled";
    std::string_view theirs = "by the reference";
};

// The first difference, as a sentence: "the loss 'q' is 1 compiled, 2 by the reference". Nothing if they agree.
std::optional<std::string> difference(const Outcome& ours, const Outcome& theirs, const ProgramSpec& spec,
                                      std::span<const StagePlan> stages, const Learner& learner, Sides sides = {});

// The largest difference between two columns, and the magnitude it is relative to.
struct Distance {
    double most = 0;
    double scale = 0;
};
Distance distance(const std::vector<std::byte>& ours, const std::vector<std::byte>& theirs, DType dtype);

}  // namespace tenon
