// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler at run time (NVRTC), found when a run uses it. Nothing links it: without it, kernels that come with
// the program compute the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon::nvrtc {

// The version of the compiler, "13.0". The problem says that this machine has none, and what to do.
Result<std::string> find();

// Compiles the text to an image for GPUs of this architecture; multiplications and additions stay separate
// instructions. The problem is the compiler's first error, or that it was stopped. Thread: any.
Result<std::string> compile(std::uint32_t arch, const std::string& text, std::span<const KernelHeader> headers,
                            const std::atomic<bool>& stop);

// The line of a compiler's log with the first error and its place; otherwise the first line.
std::string first_error(std::string_view log);

}  // namespace tenon::nvrtc
