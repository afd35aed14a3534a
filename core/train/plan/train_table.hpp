// SPDX-License-Identifier: Apache-2.0
// Checks whether the sizes of the manifest's [train] suit the run and divide each other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/manifest.hpp"
#include "train/plan/objective_plan.hpp"

namespace tenon {

struct Wiring;

// Whether the sizes with which other checks compare are valid. Otherwise these checks would compare with a default in
// place of a refused value.
bool sizes_are_known(const Manifest& manifest);

// [train], with the values of an objective's own table in place of its own.
TrainTable train_of(const Manifest& manifest, const ObjectiveTable& objective);

// The sources of the objective's own rows and of its other batches.
std::vector<BatchPlan> batches_of(const Manifest& manifest, const ObjectiveTable& objective);

// Whether it learns from each batch as a whole, without a buffer.
bool learns_by_batch(const Manifest& manifest, const ObjectiveTable& objective);

// Reports combinations of what the manifest gives, and sizes of batch and minibatch that do not fit.
void check_train(const Wiring& wiring, Problems& problems);

// Checks that whole episodes (train.episodes) end in this env and fit. Requires its lanes.
void check_episodes(const Wiring& wiring, const std::string& env, Problems& problems);

// A burn-in requires sequences longer than itself (`length`; 0: single frames).
void check_burn_in(const Wiring& wiring, const ObjectivePlan& plan, std::int64_t length, Problems& problems);

}  // namespace tenon
