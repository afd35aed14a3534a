// SPDX-License-Identifier: Apache-2.0
// Everything that a program is made of, as numbers in a fixed order, so that two programs can be compared.
#pragma once

#include <cstdint>
#include <vector>

#include "compiled/specialised.hpp"

namespace tenon::compiled {

struct ProgramNumbers {
    std::vector<std::int64_t> marks;     // what it does and on which buffers
    std::vector<std::int64_t*> numbers;  // shapes, strides, places and counts, where they are kept
};

ProgramNumbers numbers_of(Specialised& program);

}  // namespace tenon::compiled
