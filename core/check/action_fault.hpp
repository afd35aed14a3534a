// SPDX-License-Identifier: Apache-2.0
// Whether a policy may give an action.
#pragma once

#include <string>

#include "data/spec.hpp"

namespace tenon {

// Why not, as "7, and the env takes action: int64, 4 categories"; empty where it is fine. Drawn numbers may leave their
// bounds, as distributions without bounds do and envs clip; what is not drawn may not.
std::string fault_of_action(const Spec& spec, const void* row, bool drawn);

}  // namespace tenon
