// SPDX-License-Identifier: Apache-2.0
// All parts of a program as numbers in a fixed order, for comparing two programs.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

struct ProgramNumbers {
    std::vector<std::int64_t> marks;     // operations and the buffers they use
    std::vector<std::int64_t*> numbers;  // pointers to shapes, strides, offsets and counts
};

ProgramNumbers numbers_of(Specialised& program);

}  // namespace tenon::compiled
