// SPDX-License-Identifier: Apache-2.0
// What every component promises, of whatever kind.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> component_checks();

}  // namespace tenon
