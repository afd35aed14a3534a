// SPDX-License-Identifier: Apache-2.0
// Whether an action of a policy is valid.
#pragma once

#include <string>

#include "base/data/spec.hpp"

namespace tenon {

// Why the action is invalid, as "7, but the env takes action: int64, 4 categories"; empty if it is valid. Actions drawn
// from a distribution may exceed their bounds, because unbounded distributions do and envs clip; other actions may not.
std::string fault_of_action(const Spec& spec, const void* row, bool drawn);

}  // namespace tenon
