// SPDX-License-Identifier: Apache-2.0
// Objectives that imagine: loops of a number of steps with an actor in them, and the same written step by step.
// Networks that remember and have such loops in their step.
#pragma once

#include "authors.hpp"

namespace tenon::test {

Author imagining_author(const char* name);

}  // namespace tenon::test
