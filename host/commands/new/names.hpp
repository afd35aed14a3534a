// SPDX-License-Identifier: Apache-2.0
// Valid names of plugins, and the names derived from them.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// Why a new plugin cannot have this name, as a sentence; empty if it can.
std::string fault_of_plugin_name(std::string_view name);

// The type name of "hill_climb": HillClimb.
std::string type_name_of(std::string_view name);

// Whether the text contains the word, with no letter, digit or '_' next to it.
bool has_word(std::string_view text, std::string_view word);

// Replaces every occurrence of the word.
std::string with_word(std::string_view text, std::string_view word, std::string_view other);

}  // namespace tenon
