// SPDX-License-Identifier: Apache-2.0
// The contract of an env's kernels (tenon/abi/device_env.h), on the emulated device and on a GPU if there is one.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> device_env_checks();

}  // namespace tenon
