// SPDX-License-Identifier: Apache-2.0
// The executor that compiles. It keeps the reference executor beside it, for what has no compiled form and to say what
// went wrong.
#pragma once

#include <memory>

#include "exec/program.hpp"

namespace tenon::compiled {

// Takes a line about a program that the reference executor computes after all.
using Say = void (*)(std::string_view line);

std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, Say say);

}  // namespace tenon::compiled
