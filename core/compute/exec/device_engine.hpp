// SPDX-License-Identifier: Apache-2.0
// The engine of devices: it opens them, computes updates, acting and whole batches on them, and keeps frames there. It
// is in a module, lib/tenon/libtenon_cuda.so, which is loaded when a device is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/device.hpp"
#include "compute/exec/phased.hpp"

namespace tenon {

class DeviceRing;  // experience/replay/device_ring.hpp
class Storage;
struct DeviceLanes;
struct DeviceLinks;  // engines/shards/device_link.hpp

struct DeviceEngine {
    // The two kinds of devices. `number`: negative: by the number of this process among those of its machine, as a
    // launcher says it. With kNever no compiler is looked for. `units`: blocks of an update's launch. With more
    // than one, works that forget to wait for each other are found, but an update takes that many times as long.
    Result<std::shared_ptr<Device>> (*open_cuda)(int number, JitWhen jit);
    std::shared_ptr<Device> (*open_emulated)(std::uint32_t units);

    // The CUDA devices of this machine, at least one. Nothing is allocated on them. The problem: no driver, one that is
    // too old, or no device.
    Result<std::vector<FoundDevice>> (*find_devices)();
    // The version of NVIDIA's compiler at run time, "13.0". The problem says that this machine has none, and what to
    // do.
    Result<std::string> (*find_compiler)();

    // Whether a program can run on a device. The problem is a clause that names an operation, an optimiser or a type
    // without kernels. The program is tried for few rows, and nothing is allocated on a device.
    Status (*check_runs)(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);
    // Whether the device can hold the parameters that an update reads and step the update's stages, whoever computes
    // the gradients. The problem is a clause, as above.
    Status (*check_steps)(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);
    // The learner's slabs on the device. The first call makes them, and the learner keeps them.
    Result<std::shared_ptr<DeviceSlabs>> (*slabs)(const std::shared_ptr<Device>& device, Learner& learner);
    // A program that check_runs permits. `reference` is the same program; it explains failures. `dump`: the folder for
    // dumps; empty: none. The problem is what the device says.
    Result<std::unique_ptr<Phased>> (*make_phases)(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                                   Learner& learner, std::shared_ptr<Program> reference,
                                                   const std::shared_ptr<Device>& device,
                                                   const std::filesystem::path& dump);

    // Keeps the columns of a storage on the device. The storage must not move, and the lanes must outlive the ring. The
    // host looks at least every `most_steps` steps.
    Result<std::unique_ptr<DeviceRing>> (*make_ring)(Storage& storage, std::shared_ptr<Device> device,
                                                     DeviceLanes lanes, std::uint32_t most_steps);

    const DeviceLinks* links;  // between devices of several processes
};

// "tenon_device_engine": the export of the module.
using GetDeviceEngine = const DeviceEngine* (*)();

// Maps the module, if it is not mapped yet. A problem of the environment says that it is missing and how to get it.
Result<const DeviceEngine*> load_device_engine();

// Opens a device by its name. A problem of the environment says what is missing. With kNever no compiler
// is looked for.
Result<std::shared_ptr<Device>> open_device(std::string_view name, JitWhen jit = JitWhen::kNever);
// The same; null for "cpu".
Result<std::shared_ptr<Device>> open_device_or_cpu(std::string_view name, JitWhen jit = JitWhen::kNever);

}  // namespace tenon
