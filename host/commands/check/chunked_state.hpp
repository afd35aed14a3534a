// SPDX-License-Identifier: Apache-2.0
// Saved state that is read back in small pieces of uneven size, as a host is allowed to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "experience/replay/callee.hpp"
#include "tenon/abi/state.h"

namespace tenon {

struct ChunkedState {
    std::vector<std::byte> data;
    std::size_t at = 0;                                              // bytes read so far
    std::size_t fails_at = std::numeric_limits<std::size_t>::max();  // reads beyond this fail

    [[nodiscard]] std::size_t left() const { return data.size() - at; }

    // Both borrow this object.
    tn_writer writer();
    tn_reader reader();
};

// Saves a range of lanes of one instance and loads it into another.
template <class Api>
Status pass_state(const Callee<Api>& from, const Callee<Api>& to, std::uint32_t first, std::uint32_t count,
                  ChunkedState& state) {
    const tn_writer writer = state.writer();
    const tn_reader reader = state.reader();
    TENON_TRY(from.call("save", from.state->save, first, count, &writer));
    return to.call("load", to.state->load, first, count, &reader);
}

}  // namespace tenon
