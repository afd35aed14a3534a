// SPDX-License-Identifier: Apache-2.0
// The networks with which a run begins: slabs with initial values or, if the manifest says so, with values of a file.
#pragma once

#include "compute/parameters/network.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// The learner of a wiring: slabs of every network, with initial values or, if the manifest says so, read from a file.
Result<Learner> make_learner(const Wiring& wiring);

// Adds a problem for every policy.NAME.init that make_learner cannot read. The networks' layouts must be known.
void check_initial_weights(const Wiring& wiring, Problems& problems);

}  // namespace tenon
