// SPDX-License-Identifier: Apache-2.0
// The contract of a policy that is a procedure (tenon/abi/policy.h), on columns of an artificial env.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> policy_checks();

}  // namespace tenon
