// SPDX-License-Identifier: Apache-2.0
// Rows of tokens that know how many tokens they have: the column KEY_length says it
// (plugin_api/include/tenon/abi/spec.h).
#pragma once

#include <string>

#include "base/data/spec.hpp"

namespace tenon {

// The key of the column with the number of tokens of a text.
std::string length_key(const Spec& text);

// Empty if every text is a row of tokens with a length; otherwise what is wrong with the first that is not.
std::string fault_of_texts(const Composite& specs);

}  // namespace tenon
