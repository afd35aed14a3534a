// SPDX-License-Identifier: Apache-2.0
// The contract of a wrapper (tenon/abi/wrapper.h), checked by comparing drives around an artificial env.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> wrapper_checks();

}  // namespace tenon
