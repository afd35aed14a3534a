// SPDX-License-Identifier: Apache-2.0
// Whether the manifest's [train] suits the run: every key has a use, and its sizes divide each other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/manifest.hpp"
#include "train/plan/objective_plan.hpp"

namespace tenon {

struct Wiring;

// Whether all sizes that others are compared with are valid: the replacement of a refused one is meaningless.
bool sizes_are_known(const Manifest& manifest);

// [train] with what an objective's own table says instead.
TrainTable train_of(const Manifest& manifest, const ObjectiveTable& objective);

// Where the objective's own rows and those of its other batches come from.
std::vector<BatchPlan> batches_of(const Manifest& manifest, const ObjectiveTable& objective);

// Reports keys of [train] that this run does not use, and sizes of batch and minibatch that do not fit.
void check_train(const Wiring& wiring, Problems& problems);

// Whether whole episodes (train.episodes) end in this env and fit. Requires its lanes.
void check_episodes(const Wiring& wiring, const std::string& env, Problems& problems);

// This and the next function require the programs of the plan, one of the wiring's objectives. Minibatches whose
// gradients are averaged must all precede the step, and skipping must be decided before it.
void check_steps(const Wiring& wiring, const ObjectivePlan& plan, Problems& problems);

// A burn-in requires sequences longer than itself (`length`; 0: single frames) and a memory to warm up.
void check_burn_in(const Wiring& wiring, const ObjectivePlan& plan, std::int64_t length, Problems& problems);

}  // namespace tenon
