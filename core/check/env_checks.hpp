// SPDX-License-Identifier: Apache-2.0
// What an env promises (tenon/abi/env.h), by drives that are held against each other.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> env_checks();

// The parts of that list that stand in files of their own.
Verdict check_env_flags(const CheckSubject& subject);
Verdict check_env_next_episode(const CheckSubject& subject);
Verdict check_env_specs(const CheckSubject& subject);
Verdict check_env_impossible_actions(const CheckSubject& subject);
Verdict check_env_growth(const CheckSubject& subject);
Verdict check_env_saved(const CheckSubject& subject);
Verdict check_env_saved_bytes(const CheckSubject& subject);
Verdict check_env_damaged(const CheckSubject& subject);

}  // namespace tenon
