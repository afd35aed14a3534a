// SPDX-License-Identifier: Apache-2.0
// What a policy that is a procedure promises (tenon/abi/policy.h), on columns of a made-up env.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> policy_checks();

}  // namespace tenon
