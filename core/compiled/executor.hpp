// SPDX-License-Identifier: Apache-2.0
// The executor that compiles. It keeps the reference executor beside it, to say what went wrong, and in a watched one
// for what has no compiled form and to be held against.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "compiled/program.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// Takes a line about a program that the reference executor computes after all.
using Say = void (*)(std::string_view line);

// A program that has no compiled form is a problem: that of must_compile.
std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, const Setting& setting = {});

// What a run with no other executor says of a program without a compiled form. Of the learner it reads layouts and
// which networks have a target.
Status must_compile(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// Such a program runs on the reference executor. Of the others the first runs are held against it, and where they
// disagree all of them run there from then on.
std::unique_ptr<Executor> make_watched_executor(std::unique_ptr<Executor> reference, Say say,
                                                const Setting& setting = {});

}  // namespace tenon::compiled
