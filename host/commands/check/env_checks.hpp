// SPDX-License-Identifier: Apache-2.0
// The contract of an env (tenon/abi/env.h), checked by comparing drives.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> env_checks();

// Checks of that list that transforms and wrappers share, because with an artificial env they are envs as well.
Verdict check_env_described(const CheckSubject& subject);
Verdict check_env_first_step(const CheckSubject& subject);
Verdict check_env_same_seeds(const CheckSubject& subject);
Verdict check_env_written(const CheckSubject& subject);
Verdict check_env_lanes_alone(const CheckSubject& subject);
Verdict check_env_ranges(const CheckSubject& subject);
Verdict check_env_threads(const CheckSubject& subject);
Verdict check_env_own_rows(const CheckSubject& subject);
Verdict check_env_layouts(const CheckSubject& subject);
Verdict check_env_bound_again(const CheckSubject& subject);
Verdict check_env_newer_structs(const CheckSubject& subject);
Verdict check_env_reset_mask(const CheckSubject& subject);
Verdict check_env_reset_seeds(const CheckSubject& subject);
Verdict check_env_flags(const CheckSubject& subject);
Verdict check_env_next_episode(const CheckSubject& subject);
Verdict check_env_specs(const CheckSubject& subject);
Verdict check_env_impossible_actions(const CheckSubject& subject);
Verdict check_env_growth(const CheckSubject& subject);
Verdict check_env_saved(const CheckSubject& subject);
Verdict check_env_saved_bytes(const CheckSubject& subject);
Verdict check_env_damaged(const CheckSubject& subject);
Verdict check_env_pictures(const CheckSubject& subject);
Verdict check_env_async(const CheckSubject& subject);
Verdict check_env_goals(const CheckSubject& subject);
Verdict check_env_absent_agents(const CheckSubject& subject);

}  // namespace tenon
