// SPDX-License-Identifier: Apache-2.0
// Whether the functions of a policy that acts are consistent: its draws, their log-probabilities, and the divergence
// from itself. Functions that it does not have are not checked.
#pragma once

#include "commands/check/check.hpp"

namespace tenon {

Verdict check_log_prob(const CheckSubject& subject);
Verdict check_entropy(const CheckSubject& subject);
Verdict check_kl(const CheckSubject& subject);

}  // namespace tenon
