// SPDX-License-Identifier: Apache-2.0
// The contract of a plugin file, whatever it contains (tenon/abi/plugin.h, tenon/abi/host.h).
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> file_checks();

}  // namespace tenon
