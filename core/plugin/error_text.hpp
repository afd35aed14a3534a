// SPDX-License-Identifier: Apache-2.0
// The sentence that a plugin leaves before it returns a failure: one per thread, copied at once, without allocating.
#pragma once

#include <string>
#include <string_view>

#include "tenon/abi/types.h"

namespace tenon {

// Keeps at most 4 KiB. What is not UTF-8 becomes U+FFFD, control characters become blanks.
void keep_error(tn_str text);

// What was kept last in this thread; empty if nothing was. Forgets it.
std::string take_error();

// Forgets it unread, so that a sentence left by a call that succeeded is not taken for that of a later failure.
void drop_error();

// The text with the same repairs and no bound.
std::string repaired(std::string_view text);

}  // namespace tenon
