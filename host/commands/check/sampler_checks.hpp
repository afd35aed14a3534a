// SPDX-License-Identifier: Apache-2.0
// The contract of a sampler (tenon/abi/sampler.h).
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> sampler_checks();

}  // namespace tenon
