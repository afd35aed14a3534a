// SPDX-License-Identifier: Apache-2.0
// Calls whose columns are on a device, for programs that read the host's memory: the reference executor's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/device/device.hpp"
#include "compute/exec/program.hpp"

namespace tenon::compiled {

// Copies of the columns of a call.
class ColumnsAtHome {
public:
    // `spec`: of a program whose columns are on the device. It and the learner must outlive this.
    ColumnsAtHome(const ProgramSpec& spec, const Learner& learner, bool has_stages, std::shared_ptr<Device> device)
        : spec_(spec), learner_(learner), has_stages_(has_stages), device_(std::move(device)) {}

    // The same call with the inputs' values, and memory for outputs, in the host's memory; until the next one. It waits
    // for the device.
    Result<Call> bring(const Call& call);
    // Copies the outputs to where that call wants them.
    Status send_outputs(const Call& call);

private:
    const ProgramSpec& spec_;
    const Learner& learner_;
    bool has_stages_;  // then outputs are in the host's memory anyway
    std::shared_ptr<Device> device_;
    std::vector<std::vector<std::byte>> inputs_, outputs_;
    std::vector<const void*> input_places_;
    std::vector<void*> output_places_;
};

// A program whose columns are on the device, computed by one whose columns are not.
std::unique_ptr<Program> bring_home(std::shared_ptr<Program> program, const ProgramSpec& spec, const Learner& learner,
                                    bool has_stages, std::shared_ptr<Device> device);

// A program whose inputs are on the device, and whose outputs are to be in the host's memory. `program` must outlive it.
std::unique_ptr<Program> leave_at_home(Program& program, const ProgramSpec& spec, const Learner& learner,
                                       bool has_stages, std::shared_ptr<Device> device);

}  // namespace tenon::compiled
