// SPDX-License-Identifier: Apache-2.0
// Compiled programs on a device: kernels for the same instructions, which work on slabs of the device. DeviceEngine has
// functions of the same names.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/device/device.hpp"
#include "compute/exec/phased.hpp"

namespace tenon::compiled::device {

Status check_runs(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);
Status check_steps(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);
Result<std::shared_ptr<DeviceSlabs>> slabs_of(const std::shared_ptr<Device>& device, Learner& learner);
Result<std::unique_ptr<Phased>> make_phases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                            std::shared_ptr<Program> reference, const std::shared_ptr<Device>& device,
                                            const std::filesystem::path& dump);

}  // namespace tenon::compiled::device
