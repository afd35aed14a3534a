// SPDX-License-Identifier: Apache-2.0
// Problems as the person at the terminal sees them, and the exit codes that go with them.
#pragma once

#include "tenon/core.hpp"

namespace tenon::host {

constexpr int kSuccess = 0;
constexpr int kDefect = 1;  // of the program itself

// Prints to stderr; the exit code is that of the (first) problem.
int report(const Problem& problem);
int report(const Problems& problems);

// The same, but as a warning: the command goes on.
void report_as_warning(const Problem& problem);

}  // namespace tenon::host
