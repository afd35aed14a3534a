// SPDX-License-Identifier: Apache-2.0
// Saved state in memory, for copying between instances or into a larger stream.
#pragma once

#include <cstddef>
#include <vector>

#include "tenon/abi/state.h"

namespace tenon {

struct StateBytes {
    std::vector<std::byte> data;
    std::size_t at = 0;  // bytes read so far

    // Both borrow this object.
    tn_writer writer();
    tn_reader reader();
};

}  // namespace tenon
