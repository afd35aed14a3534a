// SPDX-License-Identifier: Apache-2.0
// Which version of the parameters acts while frames are collected: the newest, those of some updates ago
// (collector.lag, collector.kind = "async" or "processes"), or perturbed ones (parameter_noise).
#pragma once

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Checks that the run can act with that version. Requires the programs that act.
void check_versions(const Wiring& wiring, Problems& problems);

// Lets the program that acts read it, and adds a slab for it to the layouts.
void wire_versions(Wiring& wiring);

}  // namespace tenon
