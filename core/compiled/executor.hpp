// SPDX-License-Identifier: Apache-2.0
// The executor that compiles. It keeps the reference executor beside it, to say what went wrong, and in a watched one
// for what has no compiled form and to be held against.
#pragma once

#include <memory>
#include <string_view>

#include "compiled/program.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// Takes a line about a program that the reference executor computes after all.
using Say = void (*)(std::string_view line);

// A program that has no compiled form is a problem.
std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, const Setting& setting = {});

// Such a program runs on the reference executor. Of the others the first runs are held against it, and where they
// disagree all of them run there from then on.
std::unique_ptr<Executor> make_watched_executor(std::unique_ptr<Executor> reference, Say say,
                                                const Setting& setting = {});

}  // namespace tenon::compiled
