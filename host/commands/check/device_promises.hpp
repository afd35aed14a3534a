// SPDX-License-Identifier: Apache-2.0
// What the checks of envs and samplers on a device share.
#pragma once

#include <string>
#include <string_view>

#include "commands/check/check.hpp"

namespace tenon {

inline constexpr std::string_view kGpu = "cuda";
inline constexpr std::string_view kEmulated = "emulated";

// Whether the component declares kernels or offers the interface for them. Loads the plugin.
bool has_kernels(const CheckSubject& subject, const char* interface_id);

// A sentence if it does only one of these; empty otherwise.
std::string odd_devices(const CheckSubject& subject, const char* interface_id);

// A skip if this machine or this build of the plugin lacks something; otherwise a failure.
Verdict unless_unavailable(const Problem& problem);

// Passes if there is a GPU; otherwise a skip that says why there is none.
Verdict find_gpu();

}  // namespace tenon
