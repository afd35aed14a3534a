// SPDX-License-Identifier: Apache-2.0
// What a transform promises (tenon/abi/transform.h), on a made-up env.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> transform_checks();

}  // namespace tenon
