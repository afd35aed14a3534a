// SPDX-License-Identifier: Apache-2.0
// Where a component works, for the note (note.hpp).
#pragma once

#include <array>
#include <string_view>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The base of an adapter.
struct OnCpuAlone {};
struct OnCpuAndCuda {
    static constexpr std::array<std::string_view, 2> kDevices = {"cpu", "cuda"};
};
struct OnCudaAlone {
    static constexpr std::array<std::string_view, 1> kDevices = {"cuda"};
};

}  // namespace TENON_SDK
}  // namespace tenon
