// SPDX-License-Identifier: Apache-2.0
// Whether the columns of a run stay on run.device, so that acting, stepping, storing and learning happen on it as well.
#pragma once

#include "compute/parameters/network.hpp"
#include "experience/env/lanes.hpp"

namespace tenon {

struct Wiring;

// Fills Wiring::why_columns_on_host. Requires a wiring that is complete otherwise, with a device; `learner`: the
// learner without values.
void wire_columns(Wiring& wiring, const Lanes& lanes, const Learner& learner);

}  // namespace tenon
