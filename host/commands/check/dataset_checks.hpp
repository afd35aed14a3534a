// SPDX-License-Identifier: Apache-2.0
// The checks of a dataset's component: whatever it reads, what is not of its format is refused.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> dataset_checks();

}  // namespace tenon
