// SPDX-License-Identifier: Apache-2.0
// The acting part of a wiring: the programs that choose actions, in training and in evaluations.
#pragma once

#include <vector>

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Builds the programs of the policy that acts, or checks that its procedure suits the env. Requires the env's columns.
void wire_acting(Wiring& wiring, Host& host, const Running& running, const BuildSite& site, Problems& problems);

// The outputs of `act` or `mode` other than the action, as columns that may be stored.
std::vector<graph::Column> columns_of_acting(const Wiring& wiring, const BuiltProgram& program);
// The same for `act`, and the column of the version that acts.
std::vector<graph::Column> columns_of_collecting(const Wiring& wiring);

// Which version of the parameters acts while frames are collected: the newest, those of some updates ago
// (collector.lag, collector.kind = "async" or "processes"), or perturbed ones (parameter_noise).
// Lets the program that acts read that version, and adds a slab for it to the layouts.
void wire_versions(Wiring& wiring);

}  // namespace tenon
