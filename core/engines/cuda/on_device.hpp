// SPDX-License-Identifier: Apache-2.0
// Updates of compiled programs on a device: the same instructions as kernels, between slabs that are there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/device/device.hpp"
#include "compute/exec/phased.hpp"
#include "engines/compiled/program.hpp"

namespace tenon::compiled::device {

// Whether an update can run on a device. The problem is an operation, an optimiser or a type that has no kernels there,
// as a clause. It is tried for few rows, and nothing is allocated on a device.
Status check_runs(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// Whether the stages of an update can step there and the parameters that it reads are there, whoever computes its
// gradients. The problem is a clause, as above.
Status check_steps(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// For an executor that is not this one.
UpdatesThere updates_there(std::shared_ptr<Device> device);

// `reference`: as in make_program. The problem is what the device says.
Result<std::unique_ptr<Phased>> make_phases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                            std::shared_ptr<Program> reference, const Setting& setting);

}  // namespace tenon::compiled::device
