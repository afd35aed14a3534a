// SPDX-License-Identifier: Apache-2.0
// A program that has been compiled, over the reference executor's, which takes over where something has no compiled
// form, and says what was wrong where something went wrong.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "exec/program.hpp"

namespace tenon::compiled {

using Notice = std::function<void(const Problem& why)>;

// Without stages: one without gradients. `notice` is called once, where the reference takes over for good.
std::unique_ptr<Program> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                      std::unique_ptr<Program> reference, Notice notice);

}  // namespace tenon::compiled
