// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler at run time (NVRTC), found when a run uses it. Nothing links it: where it is missing, kernels that
// come with the program do the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon::nvrtc {

// Its version, "13.0". The problem: there is none on this machine, and what to do.
Result<std::string> find();

// An image of the text for GPUs of this architecture; products and sums stay two instructions. The problem is the first
// error that the compiler finds, or that it was stopped. Thread: any.
Result<std::string> compile(std::uint32_t arch, const std::string& text, std::span<const KernelHeader> headers,
                            const std::atomic<bool>& stop);

// The line of a compiler's log that says the first error and where it is; otherwise the first line.
std::string first_error(std::string_view log);

}  // namespace tenon::nvrtc
