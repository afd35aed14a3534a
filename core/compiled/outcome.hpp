// SPDX-License-Identifier: Apache-2.0
// What one run of a program gives, kept so that it can be held against that of another executor.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/program.hpp"

namespace tenon::compiled {

struct Outcome {
    Status status;
    std::vector<double> losses;
    std::vector<double> metrics;
    std::vector<double> controls;
    std::vector<std::vector<std::byte>> outputs;  // none where the call wants none
    std::vector<std::vector<double>> gradients;   // by stage: its networks' one after the other; 0 where it has none
};

// Runs it dry: neither parameters, states nor what the call points to are changed.
Outcome try_out(Program& program, const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner,
                const Call& call);

// By how much two may differ: roundings only.
double tolerance(DType real);

// How the two are called in a sentence.
struct Sides {
    std::string_view ours = "compiled";
    std::string_view theirs = "by the reference";
};

// The first thing that differs, as a sentence: "the loss 'q' is 1 compiled, 2 by the reference". Nothing where they
// agree.
std::optional<std::string> difference(const Outcome& ours, const Outcome& theirs, const ProgramSpec& spec,
                                      std::span<const StagePlan> stages, const Learner& learner, Sides sides = {});

// The largest difference of two columns, and the size of what it is a part of.
struct Distance {
    double most = 0;
    double scale = 0;
};
Distance distance(const std::vector<std::byte>& ours, const std::vector<std::byte>& theirs, DType dtype);

}  // namespace tenon::compiled
