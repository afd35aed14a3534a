// SPDX-License-Identifier: Apache-2.0
// Saved state that is read back in small pieces of uneven size, as a host may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tenon/abi/state.h"

namespace tenon {

struct ChunkedState {
    std::vector<std::byte> data;
    std::size_t at = 0;                                              // what has been read
    std::size_t fails_at = std::numeric_limits<std::size_t>::max();  // from there on reads fail

    [[nodiscard]] std::size_t left() const { return data.size() - at; }

    // Both borrow this object.
    tn_writer writer();
    tn_reader reader();
};

}  // namespace tenon
