// SPDX-License-Identifier: Apache-2.0
// Prints a run's wiring for people and for scripts.
#pragma once

#include <iosfwd>

#include "commands/explain/explain.hpp"

namespace tenon::host {

void print_explanation(std::ostream& out, const Explanation& explanation);
void print_explanation_as_json(std::ostream& out, const Explanation& explanation);

}  // namespace tenon::host
