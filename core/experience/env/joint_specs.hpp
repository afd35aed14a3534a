// SPDX-License-Identifier: Apache-2.0
// The columns of envs that share the same rows.
#pragma once

#include <string>
#include <string_view>

#include "base/data/spec.hpp"

namespace tenon {

// Widens the bounds of observations to contain those of both. Returns an empty text if the columns are otherwise equal;
// else a sentence about the first difference, and `specs` is unchanged.
std::string join_specs(Composite& specs, std::string_view side, const Composite& other, std::string_view other_side);

}  // namespace tenon
