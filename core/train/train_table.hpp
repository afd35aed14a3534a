// SPDX-License-Identifier: Apache-2.0
// Whether the manifest's [train] suits the run: its keys have a use there, and its sizes go into each other.
#pragma once

#include <cstdint>

#include "error/problem.hpp"

namespace tenon {

struct Manifest;
struct Wiring;

// Whether no size that others are compared with was refused: what stands in its place says nothing about them.
bool sizes_are_known(const Manifest& manifest);

// Keys of [train] that this run has no use for, and sizes of batch and minibatch that do not fit each other.
void check_train(const Wiring& wiring, Problems& problems);

// Whether whole episodes (train.episodes) have an end in this env, and fit. Wants its lanes.
void check_episodes(const Wiring& wiring, Problems& problems);

// Wants the programs of the objective, as does the next. Minibatches whose gradients are averaged all come before the
// step, and what is left out must be known before it.
void check_steps(const Wiring& wiring, Problems& problems);

// A burn-in wants sequences that are longer than it (`length`; 0: single frames), and something to bring up to date.
void check_burn_in(const Wiring& wiring, std::int64_t length, Problems& problems);

}  // namespace tenon
