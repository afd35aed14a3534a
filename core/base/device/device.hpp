// SPDX-License-Identifier: Apache-2.0
// A device that a run uses: its functions (abi/device.h), its one stream, and the sentence of its last failure. There
// are two kinds behind the same functions: CUDA, and one that runs kernels on the CPU, for tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "tenon/abi/device.h"

namespace tenon {

// A file that the text of a kernel includes.
struct KernelHeader {
    const char* name;
    const char* text;
};

// When works of an update get kernels that are compiled for them (run.jit). kLater: in the background, once a work was
// used many times. kAtOnce: at the second use, and the update waits for the compiler. kAlways: the same, but a work
// that cannot be compiled is a problem.
enum class JitWhen : std::uint8_t { kNever, kLater, kAtOnce, kAlways };

struct DeviceEngine;  // compute/exec/device_engine.hpp
struct DeviceParts;   // experience/replay/device_parts.hpp

struct Device {
    std::string name;  // as in the manifest: "cuda:1"
    tn_device table{};
    tn_stream stream{};
    std::string error;  // what the last function that failed has to say

    // Allocates memory of the host from which the device copies directly.
    void* (*pin)(void* ctx, std::uint64_t bytes) = nullptr;
    void (*unpin)(void* ctx, void* memory) = nullptr;

    JitWhen jit = JitWhen::kNever;
    // Compiles the text of kernels to an image, unless `stop` becomes true meanwhile. Thread: any. Null: the device has
    // no compiler.
    Result<std::shared_ptr<const void>> (*compile)(const Device& device, const std::string& text,
                                                   std::span<const KernelHeader> headers,
                                                   const std::atomic<bool>& stop) = nullptr;
    // Waits until no kernel of the module runs.
    void (*unload)(void* ctx, void* module) = nullptr;
    // Receives a line about kernels that could not be compiled. Null: such lines are dropped.
    void (*say)(std::string_view line) = nullptr;

    // Captures what is enqueued as a graph, and then runs it. A stream of its own stands for `stream` meanwhile. During
    // a capture the driver refuses waits, allocations and the default stream, and then the whole graph. So a check
    // notices calls that bypass this host. Null: the device has no graphs.
    tn_status (*begin_capture)(Device& device) = nullptr;
    tn_status (*run_captured)(Device& device) = nullptr;

    const DeviceEngine* engine = nullptr;  // what computes updates on this device
    const DeviceParts* parts = nullptr;    // who calls plugins that work on it; null: nobody

    std::shared_ptr<void> held;  // what ctx points to
};

// A CUDA device of this machine.
struct FoundDevice {
    std::string name;   // for run.device: "cuda:1"
    std::string model;  // "NVIDIA H100 80GB HBM3"
    int arch = 0;       // 90: sm_90
    int units = 0;      // multiprocessors
};

// "cuda", "cuda:1", "emulated"; what the text of run.device may be besides "cpu".
bool is_device(std::string_view name);
// The number of "cuda" or "cuda:N"; nothing for other names.
std::optional<int> cuda_number(std::string_view name);

}  // namespace tenon
