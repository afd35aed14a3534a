// SPDX-License-Identifier: Apache-2.0
// Seeds of the lanes' generators: of lane number and key alone.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/abi/random.h"

namespace tenon {

// One seed a lane from a key such as make_key(seed, "env"). Another `round` (the number of resumes by reset, for
// example) gives other seeds.
std::vector<std::uint64_t> lane_seeds(tn_key key, std::uint32_t lanes, std::uint32_t round = 0);

}  // namespace tenon
