// SPDX-License-Identifier: Apache-2.0
// What a plugin file promises, whatever is in it (tenon/abi/plugin.h, tenon/abi/host.h).
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> file_checks();

}  // namespace tenon
