// SPDX-License-Identifier: Apache-2.0
// The checks of a dataset's component: it must refuse files that do not have its format.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> dataset_checks();

}  // namespace tenon
