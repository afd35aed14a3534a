// SPDX-License-Identifier: Apache-2.0
// Whether a policy that remembers gives the same results step by step, as in acting, and over sequences, as in
// learning.
#pragma once

#include "commands/check/check.hpp"

namespace tenon {

Verdict check_sequences(const CheckSubject& subject);

}  // namespace tenon
