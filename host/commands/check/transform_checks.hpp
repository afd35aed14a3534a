// SPDX-License-Identifier: Apache-2.0
// The contract of a transform (tenon/abi/transform.h), on an artificial env.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> transform_checks();

}  // namespace tenon
