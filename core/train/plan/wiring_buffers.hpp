// SPDX-License-Identifier: Apache-2.0
// The buffers of a wiring: the form of their rows, whether objectives can learn from these, and their initial frames.
#pragma once

#include <string>

#include "base/error/problem.hpp"
#include "train/plan/objective_plan.hpp"

namespace tenon {

struct Running;
struct Wiring;

// Adds a plan for every buffer of the manifest.
void wire_buffers(Wiring& wiring, Problems& problems);

// Opens the device that run.device names, if it is not the CPU. Call it before wire_buffers.
void open_device_of(Wiring& wiring, Problems& problems);

// Checks that something uses the device. Requires the lanes of training, and which device each objective learns on.
void check_device_is_used(const Wiring& wiring, const Running& running, Problems& problems);

// Checks that the minibatches of an objective can be made from the rows of its buffers. Requires the plans of the
// buffers.
void check_minibatch(const Wiring& wiring, const ObjectivePlan& plan, Problems& problems);

// Checks that no row has more steps than an episode of the env. Requires the lanes of training.
void check_reach(const Wiring& wiring, const std::string& env, Problems& problems);

// Checks that the columns that samplers gather by their names are stored. Requires the stored columns.
void check_gathered(const Wiring& wiring, Problems& problems);

// Loads the frames of every buffer that has an init.
void load_initial_frames(const Wiring& wiring, Running& running, Problems& problems);

}  // namespace tenon
