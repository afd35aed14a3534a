// SPDX-License-Identifier: Apache-2.0
// The compiling executor. It keeps the reference executor to explain failures. A watched one also uses it for programs
// without a compiled form and to check the compiled ones.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "compute/exec/program.hpp"
#include "engines/compiled/program.hpp"

namespace tenon::compiled {

// Receives a line about a program that the reference executor computes instead.
using Say = void (*)(std::string_view line);

// A program without a compiled form is a problem: the one that must_compile returns.
std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, const Setting& setting = {});

// Why a program has no compiled form, for a run that has no other executor. Of the learner it reads only layouts and
// which networks have a target.
Status must_compile(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// Programs without a compiled form run on the reference executor. The first runs of the others are compared with it;
// after a disagreement, all programs run on the reference executor.
std::unique_ptr<Executor> make_watched_executor(std::unique_ptr<Executor> reference, Say say,
                                                const Setting& setting = {});

}  // namespace tenon::compiled
