// SPDX-License-Identifier: Apache-2.0
// The kinds of devices that a component has code for, as its note says (note.hpp).
#pragma once

#include <array>
#include <string_view>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// CMake's tenon_add_kernels defines TENON_HAS_CUDA_KERNELS where there is nvcc.
#ifdef TENON_HAS_CUDA_KERNELS
inline constexpr std::string_view kKernelsFor = "cuda";
#else
inline constexpr std::string_view kKernelsFor = "emulated";
#endif

// The base of an adapter.
struct OnCpuAlone {};
struct OnCpuAndDevice {
    static constexpr std::array<std::string_view, 2> kDevices = {"cpu", kKernelsFor};
};
struct OnDeviceAlone {
    static constexpr std::array<std::string_view, 1> kDevices = {kKernelsFor};
};

}  // namespace TENON_SDK
}  // namespace tenon
