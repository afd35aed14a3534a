// SPDX-License-Identifier: Apache-2.0
// Whether the functions of a policy that acts agree: what it draws, how likely it says that is, how far from itself it
// is. Those that it does not have are not asked.
#pragma once

#include "check/check.hpp"

namespace tenon {

Verdict check_log_prob(const CheckSubject& subject);
Verdict check_entropy(const CheckSubject& subject);
Verdict check_kl(const CheckSubject& subject);

}  // namespace tenon
