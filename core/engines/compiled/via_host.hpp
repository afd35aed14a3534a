// SPDX-License-Identifier: Apache-2.0
// Calls whose columns are on a device, for programs that read columns in the host's memory: the reference executor's,
// also those that compute on the device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/device/device.hpp"
#include "compute/exec/program.hpp"

namespace tenon::compiled {

// Copies of the columns of a call.
class HostColumns {
public:
    // `spec`: of a program whose columns are on the device. It and the learner must outlive this.
    HostColumns(const ProgramSpec& spec, const Learner& learner, bool outputs_on_device, std::shared_ptr<Device> device)
        : spec_(spec), learner_(learner), outputs_on_device_(outputs_on_device), device_(std::move(device)) {}

    // The same call, with the inputs' values and with memory for outputs in the host's memory. Valid until the next
    // call. It waits for the device.
    Result<Call> bring(const Call& call);
    // Copies the outputs to the memory that the call names.
    Status send_outputs(const Call& call);

private:
    // Whether the call has memory for an output that is on the device, if any are.
    [[nodiscard]] bool is_on_device(const Call& call, std::size_t output) const;

    const ProgramSpec& spec_;
    const Learner& learner_;
    bool outputs_on_device_;
    std::shared_ptr<Device> device_;
    std::vector<std::vector<std::byte>> inputs_, outputs_;
    std::vector<const void*> input_places_;
    std::vector<void*> output_places_;
};

// A program whose columns are on the device, computed by one whose columns are not.
std::unique_ptr<Program> via_host(std::shared_ptr<Program> program, const ProgramSpec& spec, const Learner& learner,
                                  std::shared_ptr<Device> device);

// A program with columns on the device, for dry runs whose outputs go to the host's memory. `program` must outlive it.
class OutputsToHost final : public Program {
public:
    OutputsToHost(Program& program, const ProgramSpec& spec, const Learner& learner, std::shared_ptr<Device> device)
        : program_(program), spec_(spec), learner_(learner), device_(std::move(device)) {}

    // The outputs of the next run go through this memory of the device. Empty: through memory of its own, because this
    // memory may hold an input.
    void go_through(std::span<void* const> outputs) { through_ = outputs; }
    Result<Computed*> run(const Call& call) override;

private:
    Program& program_;
    const ProgramSpec& spec_;
    const Learner& learner_;
    std::shared_ptr<Device> device_;
    std::span<void* const> through_;
};

}  // namespace tenon::compiled
