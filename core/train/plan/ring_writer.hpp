// SPDX-License-Identifier: Apache-2.0
// The writer of the buffer that collects, where it is not the ring itself (experience/replay/keeper.hpp).
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "experience/replay/keeper.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Whether the column by which it ranks episodes can rank them. Requires the stored columns.
void check_ranking(const Wiring& wiring, Problems& problems);

// The keeper of what this ring collects; none if the buffer is the ring.
Result<std::optional<Keeper>> make_keeper(const Wiring& wiring, const Storage& ring);

}  // namespace tenon
