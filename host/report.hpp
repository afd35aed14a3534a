// SPDX-License-Identifier: Apache-2.0
// Prints problems to the terminal, and returns their exit codes.
#pragma once

#include "base/error/problem.hpp"

namespace tenon::host {

constexpr int kSuccess = 0;
constexpr int kDefect = 1;  // a defect of the program itself

// Prints to stderr; the exit code is that of the (first) problem.
int report(const Problem& problem);
int report(const Problems& problems);

// The same as a warning: the command continues.
void report_as_warning(const Problem& problem);

}  // namespace tenon::host
