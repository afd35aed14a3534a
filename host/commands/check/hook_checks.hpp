// SPDX-License-Identifier: Apache-2.0
// The contract of a hook (tenon/abi/hook.h).
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> hook_checks();

}  // namespace tenon
