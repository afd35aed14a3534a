// SPDX-License-Identifier: Apache-2.0
// The contract of a policy that is a graph, in a run where the manifest lets it act: checks of its actions and of the
// outputs of its functions.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> acting_checks();

}  // namespace tenon
