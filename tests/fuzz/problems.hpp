// SPDX-License-Identifier: Apache-2.0
// What holds for every problem that is said of an input.
#pragma once

#include "base/error/problem.hpp"

namespace tenon::fuzz {

void check_problems(const Problems& problems);

}  // namespace tenon::fuzz
