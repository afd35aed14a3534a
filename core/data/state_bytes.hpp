// SPDX-License-Identifier: Apache-2.0
// Saved state in memory, on its way from one instance to another or into a larger stream.
#pragma once

#include <cstddef>
#include <vector>

#include "tenon/abi/state.h"

namespace tenon {

struct StateBytes {
    std::vector<std::byte> data;
    std::size_t at = 0;  // what has been read

    // Both borrow this object.
    tn_writer writer();
    tn_reader reader();
};

}  // namespace tenon
