// SPDX-License-Identifier: Apache-2.0
// A device that a run uses: its functions (abi/device.h), its one stream, and the sentence of its last failure. There
// are two kinds behind the same functions: CUDA, and one that runs kernels on the CPU, for tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
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

// When works of an update get kernels that are compiled for them (run.jit): never; beside the updates, once there were
// many; or as soon as they repeat, and updates wait for them. Only with kAlways it is a problem if they cannot be
// compiled.
enum class JitWhen : std::uint8_t { kNever, kLater, kAtOnce, kAlways };

struct Device {
    std::string name;  // as in the manifest: "cuda:1"
    tn_device table{};
    tn_stream stream{};
    std::string error;  // what the last function that failed has to say

    // Memory of the host that copies do not need to copy first.
    void* (*pin)(void* ctx, std::uint64_t bytes) = nullptr;
    void (*unpin)(void* ctx, void* memory) = nullptr;

    JitWhen jit = JitWhen::kNever;
    // Makes an image of the text of kernels, unless `stop` becomes true meanwhile. Thread: any. Null: it cannot.
    Result<std::shared_ptr<const void>> (*compile)(const Device& device, const std::string& text,
                                                   std::span<const KernelHeader> headers,
                                                   const std::atomic<bool>& stop) = nullptr;
    // Waits until no kernel of the module runs.
    void (*unload)(void* ctx, void* module) = nullptr;
    // Receives a line about kernels that could not be compiled. Null: nobody listens.
    void (*say)(std::string_view line) = nullptr;

    std::shared_ptr<void> held;  // what ctx points to
};

// "cuda", "cuda:1", "emulated"; what the text of run.device may be besides "cpu".
bool is_device(std::string_view name);

// Opens a device by its name. A problem of the environment says what is missing. With kNever no compiler
// is looked for.
Result<std::shared_ptr<Device>> open_device(std::string_view name, JitWhen jit = JitWhen::kNever);
// The same; null for "cpu".
Result<std::shared_ptr<Device>> open_device_or_cpu(std::string_view name, JitWhen jit = JitWhen::kNever);

// The two kinds. `units`: blocks of an update's launch; more than one find works that forget to wait for each other,
// and take as many times as long.
Result<std::shared_ptr<Device>> open_cuda(int number, JitWhen jit);
std::shared_ptr<Device> open_emulated(std::uint32_t units = 1);

}  // namespace tenon
