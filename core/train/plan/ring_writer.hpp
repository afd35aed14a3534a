// SPDX-License-Identifier: Apache-2.0
// The writer of the buffer that collects, if it is not the ring itself (experience/replay/keeper.hpp).
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "experience/replay/keeper.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Checks that the column by which it ranks episodes can rank them. Requires the stored columns.
void check_ranking(const Wiring& wiring, Problems& problems);

// The keeper for the frames of this ring; none if the buffer is the ring.
Result<std::optional<Keeper>> make_keeper(const Wiring& wiring, const Storage& ring);

}  // namespace tenon
