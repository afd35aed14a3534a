// SPDX-License-Identifier: Apache-2.0
// Seeds of the lanes' generators, which depend only on lane number and key.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/abi/random.h"

namespace tenon {

// One seed per lane from a key such as make_key(seed, "env"). Another `round` (for example the number of resumes by
// reset) gives other seeds. `first`: the number of the first lane.
std::vector<std::uint64_t> lane_seeds(tn_key key, std::uint32_t lanes, std::uint32_t round = 0,
                                      std::uint32_t first = 0);

}  // namespace tenon
