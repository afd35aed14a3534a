// SPDX-License-Identifier: Apache-2.0
// The contract of every component, whatever its kind.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> component_checks();

}  // namespace tenon
