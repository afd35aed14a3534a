// SPDX-License-Identifier: Apache-2.0
// The cause of a failed call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compute/exec/phase_plan.hpp"

namespace tenon::compiled {

// Repeats the call on the reference executor, which can name the cause. Nothing if it finds no cause, or if it cannot
// compute because libtorch or memory for it is missing.
std::optional<Problem> blamed(Program& reference, Call call);

// Finds the cause of a loss that is not finite, `what`, without the reference: compiles the forward pass of the plan up
// to the phase again, so that all of its values can be read.
Problem first_not_finite(const std::string& what, const ProgramSpec& spec, const PhasePlan& plan, std::uint32_t phase,
                         const Learner& learner, const Call& call);

}  // namespace tenon::compiled
