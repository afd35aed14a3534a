// SPDX-License-Identifier: Apache-2.0
// Places a component's problem with its own options at the manifest's lines that set them, and finds the components
// that have an option with the name of an unknown key.
#pragma once

#include <cstddef>

#include "base/error/problem.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// Changes problems from `first` on whose place is a component's name. If a sentence mentions options in quotes, or by a
// name that is not an ordinary word ("v_min"), its place becomes the lines that set them. If it mentions none but
// quotes the text of an option, the place becomes that option's. If it also says which character is wrong, as
// tenon::mistake_in of the SDK does (character 5 of "1 + x"), the place becomes that character's. A sentence with
// several mistakes (tenon::Mistakes) becomes one problem for each.
void point_at_options(const Parts& parts, std::size_t first, Problems& problems);

// Changes problems that only say that a key does not exist. If one or two components have an option of that name, the
// sentence names their tables instead of listing the known keys.
void name_option_owners(const Parts& parts, Problems& problems);

}  // namespace tenon
