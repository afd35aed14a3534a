// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

// The kernel of a composite that is computed in one pass (exec/composites.hpp).
at::Tensor composite(const Frame& k, Inputs in);

}  // namespace tenon::reference
