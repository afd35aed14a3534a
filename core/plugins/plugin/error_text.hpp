// SPDX-License-Identifier: Apache-2.0
// The sentence that a plugin leaves before it returns a failure: one per thread, copied at once without allocation.
#pragma once

#include <string>
#include <string_view>

#include "tenon/abi/types.h"

namespace tenon {

// Keeps at most 4 KiB. Invalid UTF-8 becomes U+FFFD, control characters become blanks.
void keep_error(tn_str text);

// Returns the latest text of this thread, or an empty one, and clears it.
std::string take_error();

// Clears it, so that a text from a successful call is not mistaken for that of a later failure.
void drop_error();

// The text with the same repairs and without a limit.
std::string repaired(std::string_view text);

}  // namespace tenon
